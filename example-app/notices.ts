import type { MfaEvent } from 'second-factor'
import { z } from 'zod'

import type { Database } from './storage/database.ts'

/** An event that the user should know about, as only they can tell whether it was them. */
const Notice = z.object({ at: z.int(), sentence: z.string() })
export type Notice = z.infer<typeof Notice>

export type Notices = ReturnType<typeof createNotices>

/** How many notices a page shows. */
const pageSize = 5

/** Notices on the account page. A real app would send an e-mail instead. */
export function createNotices(database: Database) {
  const insert = database.prepare('INSERT INTO notice (user_key, at, sentence) VALUES (:userKey, :at, :sentence)')
  const newest = database.prepare(
    'SELECT at, sentence FROM notice WHERE user_key = :userKey ORDER BY rowid DESC LIMIT :pageSize',
  )

  return {
    /** Handles the events of mfa(). */
    record(event: MfaEvent): void {
      const { at, userKey } = event
      const sentence = sentenceOf(event)
      if (sentence !== undefined && userKey !== undefined) insert.run({ userKey, at, sentence })
    },

    /** Newest first. */
    forUser(username: string): readonly Notice[] {
      return z.array(Notice).parse(newest.all({ userKey: `username:${username}`, pageSize }))
    },
  }
}

const kinds = {
  device: 'A device',
  app: 'An authenticator app',
  hardware: 'A code generator',
  passkey: 'A passkey',
} as const

function sentenceOf(event: MfaEvent): string | undefined {
  switch (event.type) {
    case 'factor.added':
      return `${kinds[event.kind]} was added.`
    case 'factor.replaced':
      return `${kinds[event.kind]} was replaced.`
    case 'factor.removed':
      return `${kinds[event.kind]} was removed.`
    case 'recovery_codes.made':
      return 'New recovery codes were created.'
    case 'push.ended':
      return event.reason === 'reported' ? 'You reported a sign-in that wasn’t yours.' : undefined
    case 'code.paused':
      return 'Codes are paused after too many wrong attempts.'
    default:
      return undefined
  }
}
