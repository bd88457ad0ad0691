import type { Notice } from '../../challenge/challenge.ts'
import type { Language } from './languages.ts'
import { spanOf } from './spans.ts'

/** What is said of the last thing somebody tried. @param now Unix time, seconds. */
export function noticeText({ tag, words }: Language, notice: Notice, now: number): string {
  if ('until' in notice) return words.notices[notice.kind](spanOf(tag, notice.until - now))
  return words.notices[notice.kind]
}
