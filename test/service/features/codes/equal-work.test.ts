import { Secret } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { hardwareToken, holder, member, otherThan } from './code-holder.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

/** A code of six digits is cut out of an HMAC of 20 bytes: the reads at its offset count the HMACs. */
const reads = vi.spyOn(Buffer.prototype, 'readUInt32BE')
afterAll(() => reads.mockRestore())
const countHmacs = () => reads.mock.contexts.filter((buffer) => (buffer as Buffer).length === 20).length

/** The nearest steps of the hardware token and of the device; all others only where none of these is right. */
const [accepted, denied] = [6, 24]

describe('the work for a code', () => {
  it('a code takes the same work whichever factor it is of and whatever the user has, and a wrong one takes four times the HMACs', async () => {
    const { user, codeSecret, ask } = await running.enroll('work for a code')
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${token.id}`)
    const seed = Secret.fromBase32(codeSecret).hex
    const deviceCode = codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30))
    const tokenHolder = await holder(running)
    const none = await member(running)
    const counterHolder = await holder(running, { algorithm: 'SHA1', digits: 6, counter: 0 })
    const counterCodes = Array.from({ length: 21 }, (_, steps) => counterHolder.token.code(steps))
    const wrong = otherThan(token.code(), tokenHolder.token.code(), deviceCode, ...counterCodes)
    const entered: readonly (readonly [
      entered: string,
      ask: (more: object) => Promise<{ state: string }>,
      otp: string,
      state: string,
    ])[] = [
      ['a wrong code of a user with both', ask, wrong, 'denied'],
      ['the code of the device', ask, deviceCode, 'approved'],
      ['the same again', ask, deviceCode, 'denied'],
      ['the previous code of the token', ask, token.code(-1), 'approved'],
      ['the code of the token', ask, token.code(), 'approved'],
      ['a code of the token ten steps ahead', ask, token.code(10), 'denied'],
      ['a malformed code', ask, 'abcdef', 'denied'],
      ['a code of a user with a token', tokenHolder.signIn, tokenHolder.token.code(), 'approved'],
      ['a wrong code of this user', tokenHolder.signIn, wrong, 'denied'],
      ['a wrong code of a user with nothing', none.signIn, wrong, 'denied'],
      ['a wrong code of a user whose token counts presses', counterHolder.signIn, wrong, 'denied'],
      ['a code of the token that counts presses, with two skipped', counterHolder.signIn, counterCodes[2]!, 'approved'],
      ['the same again', counterHolder.signIn, counterCodes[2]!, 'denied'],
      ['a code of the token that counts presses, eighteen ahead', counterHolder.signIn, counterCodes[20]!, 'denied'],
    ]

    for (const [what, askFor, otp, state] of entered) {
      reads.mockClear()
      const session = await askFor({ otp })
      expect([what, session.state, countHmacs()]).toEqual([what, state, state === 'approved' ? accepted : denied])
    }
  })
})
