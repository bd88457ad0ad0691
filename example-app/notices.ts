import type { MfaEvent } from 'second-factor'
import { z } from 'zod'

import type { Database } from './database.ts'

/** Something that a person should hear of, because only they can tell whether it was them. */
const Notice = z.object({ at: z.int(), sentence: z.string() })
export type Notice = z.infer<typeof Notice>

export type Notices = ReturnType<typeof createNotices>

/** What a page shows at once. */
const shown = 5

/** Here they stand on the account page; an app of yours would send an e-mail. */
export function createNotices(database: Database) {
  const insert = database.prepare('INSERT INTO notice (user_key, at, sentence) VALUES (:userKey, :at, :sentence)')
  const newest = database.prepare(
    'SELECT at, sentence FROM notice WHERE user_key = :userKey ORDER BY rowid DESC LIMIT :shown',
  )

  return {
    /** To be given to mfa() as `onEvent`. */
    take(event: MfaEvent): void {
      const { at, userKey } = event
      const sentence = sentenceOf(event)
      if (sentence !== undefined && userKey !== undefined) insert.run({ userKey, at, sentence })
    },

    /** Newest first. */
    of(username: string): readonly Notice[] {
      return z.array(Notice).parse(newest.all({ userKey: `username:${username}`, shown }))
    },
  }
}

const kinds = { device: 'A device', app: 'An authenticator app', hardware: 'A hardware token' } as const

function sentenceOf(event: MfaEvent): string | undefined {
  switch (event.type) {
    case 'factor.added':
      return `${kinds[event.kind]} was added.`
    case 'factor.replaced':
      return `${kinds[event.kind]} was replaced.`
    case 'factor.removed':
      return `${kinds[event.kind]} was removed.`
    case 'recovery_codes.made':
      return 'New recovery codes were made.'
    case 'push.ended':
      return event.reason === 'reported' ? 'A sign-in was reported as not yours.' : undefined
    case 'code.paused':
      return 'Codes were paused after too many wrong ones.'
    default:
      return undefined
  }
}
