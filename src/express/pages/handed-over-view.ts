import { saidOf } from './notice.ts'
import type { StatusPage } from './status-view.ts'

/**
 * The page for users who need a passkey, or a browser that they keep, and have none that they can use: the field for a code of their
 * administrator.
 */
export function handedOverView(page: StatusPage) {
  const { layout, query, challenge, passkey, status, takesHandedOver, now } = page
  const isForBrowser = status.kind === 'ended' && status.reason === 'unknown_browser'
  const reason = isForBrowser ? 'unknown_browser' : 'phishing_resistance_required'
  const { words } = layout
  const { notice } = challenge
  const isOfCode = notice !== undefined && /^(wrong_code|no_code|no_browser_key)$/.test(notice.kind)
  const keepsBrowser = takesHandedOver === 'browser'
  const need = words.passkeyNeeded
  const noticeText = isOfCode ? saidOf(languageOf(layout), notice, now) : undefined
  return {
    ...layout,
    typing: true,
    // Users who come here by a link want to type; others first have to read what is asked of them.
    hasField: query.get('use') === 'handed-over',
    headline: noticeText?.headline ?? words.ended[reason].headline,
    sentence: keepsBrowser ? need.newBrowser : passkey ? need.lost : need.none,
    hint: keepsBrowser ? need.keepHint : need.hint,
    usesBrowserKey: keepsBrowser,
    said: noticeText?.sentence,
    tone: 'wrong',
  }
}

/** The same notices as for other codes, in words for this one. */
function languageOf({ language, words }: StatusPage['layout']): Parameters<typeof saidOf>[0] {
  const need = words.passkeyNeeded
  const notices = {
    ...words.notices,
    wrong_code: { ...words.notices.wrong_code, sentence: need.wrong, recovery: need.wrong },
    no_code: { sentence: words.code.bypass.sentence },
  }
  return { ...language, words: { ...words, notices } }
}
