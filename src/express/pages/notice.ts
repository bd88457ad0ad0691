import type { Notice } from '../../challenge/challenge.ts'
import { endOf } from '../../challenge/pauses.ts'
import { formatDuration } from '../../contract/format-duration.ts'
import { latinDigits } from '../../contract/languages.ts'
import type { Language } from '../options/languages.ts'

/** The texts for the result of the user's last attempt. */
export interface NoticeText {
  /** Replaces the headline of the page. */
  readonly headline?: string
  readonly sentence: string
}

/** @param now Unix time, seconds. */
export function saidOf({ tag, words }: Language, notice: Notice, now: number): NoticeText {
  if (notice.kind === 'wrong_code') return wrongCode({ tag, words }, notice)
  if (notice.kind === 'no_browser_key') return { sentence: words.passkeyNeeded.noKey }
  if (notice.kind === 'passkey_needed') return passkeyNeeded(words)
  if (!('until' in notice)) return words.notices[notice.kind]
  if (notice.kind === 'codes_paused') return pausedSaid({ tag, words }, endOf(notice.until, now), now)
  const texts = words.notices[notice.kind]
  return { ...texts, sentence: texts.sentence(formatDuration(tag, Math.max(1, notice.until - now))) }
}

function passkeyNeeded({ ended }: Language['words']): Required<NoticeText> {
  const { headline, sentence } = ended.phishing_resistance_required
  return { headline, sentence }
}

/** @param until Undefined if only an administrator ends the pause. */
export function pausedSaid(
  { tag, words }: Pick<Language, 'tag' | 'words'>,
  until: number | undefined,
  now: number,
): Required<NoticeText> {
  const { headline, sentence, unlock } = words.notices.codes_paused
  return { headline, sentence: until === undefined ? unlock : sentence(formatDuration(tag, Math.max(1, until - now))) }
}

function wrongCode(
  { tag, words }: Pick<Language, 'tag' | 'words'>,
  { isRecovery, triesLeft: tries, pausedFor }: Extract<Notice, { readonly kind: 'wrong_code' }>,
): NoticeText {
  const { headline, triesLeft, lastTry, lastTryLocks, ...sentences } = words.notices.wrong_code
  const sentence = isRecovery ? sentences.recovery : sentences.sentence
  if (tries === undefined) return { headline, sentence }
  if (tries > 1)
    return { headline, sentence: joined(sentence, triesLeft(new Intl.NumberFormat(tag, latinDigits).format(tries))) }
  const pause = endOf(pausedFor ?? 0, 0)
  return { headline: pause === undefined ? lastTryLocks : lastTry(formatDuration(tag, Math.max(1, pause))), sentence }
}

/** Two sentences; after a Japanese one there is no space. */
export function joined(first: string, second: string): string {
  return `${first}${first.endsWith('。') ? '' : ' '}${second}`
}

/** The same as one text. @param now Unix time, seconds. */
export function noticeText(language: Language, notice: Notice, now: number): string {
  return oneText(saidOf(language, notice, now))
}

/** The message of a page as one text, for where there is no page. */
export function oneText({ headline, sentence }: { readonly headline?: string; readonly sentence: string }): string {
  return headline === undefined ? sentence : `${headline}. ${sentence}`
}
