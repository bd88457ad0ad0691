import { parametersOf } from '../../../../src/contract/hardware.ts'
import type { CodeParameters } from '../../../../src/contract/hardware.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { random128 } from '../../../support/device-signer.ts'
import { newUser } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let count = 0

/** Tells things of tests apart. The letter is in no hexadecimal number and no UUID, in which a test could find it by chance. */
export const unique = (): string => `u${process.pid}-${(count += 1)}`

/** A member of the domain without anything, and what can be asked of it. */
export async function member(
  running: Running,
  fields: { readonly email?: string | null; readonly language?: string | undefined } = {},
) {
  const { call, clock, domain } = running
  const username = unique()
  const { json: user } = await call('POST', '/users', { body: { ...newUser(username), ...fields } })
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  return {
    id: user.id as string,
    username,
    path: `/users/${user.id}`,
    memberPath: `/domains/${domain.id}/users/${user.id}`,
    show: async () => (await call('GET', `/users/${user.id}`)).json,
    /** Sets up an authenticator app, as its owner would: with the code it shows. */
    enrollApp: async (more: object = {}) =>
      enrollApp(call, clock, `/domains/${domain.id}/users/${user.id}/hardware`, more),
    /** Passes in order to change factors. @returns the id of the session. */
    pass: (factor?: object) => changePass(running, user.id, factor),
    signIn: async (more: object): Promise<Session> =>
      (await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: user.id }, ...more } })).json,
  }
}

/**
 * Passes in order to change factors, with what is given, or with a bypass code that is used up by it.
 * @returns the id of the session.
 */
export async function changePass(running: Running, userId: string, factor?: object): Promise<string> {
  const { call, domain } = running
  const sessions = `/domains/${domain.id}/sessions`
  const challenge = random128()
  const by = factor ?? { bypasscode: (await bypassCodeOf(running, userId)).code }
  const body = { user: { id: userId }, purpose: 'change_devices', challenge, ...by }
  const { json: session } = await call('POST', sessions, { body })
  await call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })
  return session.id
}

/** A code that is good once, for an hour. */
export async function bypassCodeOf({ call }: Running, userId: string): Promise<{ id: string; code: string }> {
  const body = { usesAllowed: 1, expirationTime: 60 }
  return (await call('POST', `/users/${userId}/bypasscodes`, { body })).json
}

async function enrollApp(call: Running['call'], clock: Running['clock'], path: string, more: Partial<CodeParameters>) {
  const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')
  const parameters = parametersOf(more)
  const code = (steps = 0) => codeAt({ seed, ...parameters }, stepAt(clock.now(), parameters.period) + steps)
  const first = !('replaces' in more || 'pass' in more)
  const words = { ...(!more.digits && { type: 'TOTP6' }), ...(!more.period && { timeStep: 30 }) }
  const body = { ...words, seed, otp: code(), first, ...more }
  return { seed, code, answer: await call('POST', path, { body }) }
}

/** As the interface has them: in the words of 1.3, or exactly. */
export type TokenKind =
  | { readonly type: 'TOTP6' | 'TOTP8'; readonly timeStep: 30 | 60 }
  | CodeParameters
  | Omit<CodeParameters, 'period'>

/** A hardware token in its owner's hand: it is known to the service, and shows codes by a clock of its own. */
export async function hardwareToken({ call, clock }: Running, kind: TokenKind = { type: 'TOTP6', timeStep: 30 }) {
  const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')
  const { json } = await call('POST', '/hardware', { body: { ...kind, serialNumber: unique(), seed } })
  const parameters = parametersOf(kind)
  const { counter, period } = parameters
  return {
    id: json.id as string,
    seed,
    /** @param steps How many steps its clock is ahead, or how many of its codes were skipped. */
    code: (steps = 0) => codeAt({ seed, ...parameters }, (counter ?? stepAt(clock.now(), period)) + steps),
    show: async () => (await call('GET', `/hardware/${json.id}`)).json,
  }
}

/** A member with a hardware token. */
export async function holder(running: Running, kind?: TokenKind) {
  const person = await member(running)
  const token = await hardwareToken(running, kind)
  await running.call('PUT', `${person.path}/hardware/${token.id}`)
  return { ...person, token }
}

/** A code of so many digits that is none of these. */
export function otherThan(...codes: string[]): string {
  const length = codes[0]?.length ?? 6
  const all = Array.from({ length: 50 }, (_, index) => String(index).padStart(length, '0'))
  return all.find((code) => !codes.includes(code)) ?? ''
}
