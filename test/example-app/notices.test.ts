import type { MfaEvent } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { openDatabase } from '../../example-app/storage/database.ts'
import { createNotices } from '../../example-app/notices.ts'

const occasion = { userKey: 'username:alice', address: '192.0.2.7', requestId: 'request-1' } as const

const taken = (...events: readonly MfaEvent[]) => {
  const notices = createNotices(openDatabase(':memory:'))
  for (const event of events) notices.record(event)
  return notices
}

describe('the recent activity', () => {
  it('a user’s recent activity contains each change of their factors, newest first', () => {
    const notices = taken(
      { ...occasion, at: 1, type: 'factor.added', kind: 'device', id: 'd1' },
      { ...occasion, at: 2, type: 'factor.replaced', kind: 'app', id: 'a1' },
      { ...occasion, at: 3, type: 'recovery_codes.made', count: 5 },
      { ...occasion, at: 4, type: 'factor.removed', kind: 'hardware', id: 'h1' },
    )

    expect(notices.forUser('alice')).toEqual([
      { at: 4, sentence: 'A code generator was removed.' },
      { at: 3, sentence: 'New recovery codes were created.' },
      { at: 2, sentence: 'An authenticator app was replaced.' },
      { at: 1, sentence: 'A device was added.' },
    ])
  })

  it('a user’s recent activity contains possible attacks: a report, and paused codes', () => {
    const notices = taken(
      { ...occasion, at: 1, type: 'push.ended', sessionId: 's1', reason: 'reported' },
      { ...occasion, at: 2, type: 'push.ended', sessionId: 's2', reason: 'timeout' },
      { ...occasion, at: 3, type: 'code.paused', until: 900 },
    )

    expect(notices.forUser('alice').map(({ at }) => at)).toEqual([3, 1])
  })

  it('a user’s recent activity contains nothing about other people or everyday events', () => {
    const notices = taken(
      { ...occasion, userKey: 'username:bobby', at: 1, type: 'factor.added', kind: 'device', id: 'd1' },
      { ...occasion, userKey: undefined, at: 2, type: 'recovery_codes.made', count: 5 },
      { ...occasion, at: 3, type: 'challenge.passed', factor: 'push', sessionId: 's1' },
    )

    expect(notices.forUser('alice')).toEqual([])
  })
})
