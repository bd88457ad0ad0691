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

/** `hotp.ts` copies the inner hash of each HMAC, five words of 32 bits, into the outer one: the copies count the HMACs. */
const copies = vi.spyOn(Int32Array.prototype, 'set')
afterAll(() => copies.mockRestore())
const countHmacs = () => copies.mock.calls.filter(([words]) => words instanceof Int32Array && words.length === 5).length

/** 21 steps of the hardware token, and three of the device. */
const expected = 24

describe('the work for a code', () => {
  it('the work for a code is the same whether it is right, of which factor it is, and whatever the user has', async () => {
    const { user, codeSecret, ask } = await running.enroll('work for a code')
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${token.id}`)
    const seed = Secret.fromBase32(codeSecret).hex
    const deviceCode = codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30))
    const tokenHolder = await holder(running)
    const none = await member(running)
    const wrong = otherThan(token.code(), tokenHolder.token.code(), deviceCode)
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
    ]

    for (const [what, askFor, otp, state] of entered) {
      copies.mockClear()
      const session = await askFor({ otp })
      expect([what, session.state, countHmacs()]).toEqual([what, state, expected])
    }
  })
})
