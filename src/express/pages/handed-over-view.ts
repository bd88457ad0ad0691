import { saidOf } from './notice.ts'
import type { StatusPage } from './status-view.ts'

/** The page for users who need a passkey and have none that they can use: the field for a code of their administrator. */
export function handedOverView(page: StatusPage) {
  const { layout, req, challenge, passkey, status, now } = page
  const isForBrowser = status.kind === 'ended' && status.reason === 'unknown_browser'
  const reason = isForBrowser ? 'unknown_browser' : 'phishing_resistance_required'
  const { words } = layout
  const { notice } = challenge
  const isOfCode = notice?.kind === 'wrong_code' || notice?.kind === 'no_code'
  const said = isOfCode ? saidOf(languageOf(layout), notice, now) : undefined
  return {
    ...layout,
    typing: true,
    // Users who come here by a link want to type; others first have to read what is asked of them.
    hasField: req.query['use'] === 'handed-over',
    headline: said?.headline ?? words.ended[reason].headline,
    sentence: passkey ? words.passkeyNeeded.lost : words.passkeyNeeded.none,
    said: said?.sentence,
    tone: 'wrong',
  }
}

/** The same notices as for other codes, in words for this one. */
function languageOf({ language, words }: StatusPage['layout']): Parameters<typeof saidOf>[0] {
  const notices = {
    ...words.notices,
    wrong_code: { ...words.notices.wrong_code, sentence: words.passkeyNeeded.wrong },
    no_code: { sentence: words.code.bypass.sentence },
  }
  return { ...language, words: { ...words, notices } }
}
