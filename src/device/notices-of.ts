import type { Inbox, Notice } from '../contract/device-answers.ts'

/** The notices of an inbox, newest first. */
export const noticesOf = ({ notices = [], accessNotices = [] }: Inbox): readonly Notice[] =>
  [...notices, ...accessNotices].toSorted((a, b) => b.createdAt - a.createdAt)
