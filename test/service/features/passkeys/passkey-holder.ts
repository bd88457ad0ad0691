import type { Session } from '../../../../src/contract/sessions.ts'
import { random128 } from '../../../support/device-signer.ts'
import { createAuthenticator } from '../../../../src/testing/software-authenticator.ts'
import type { Algorithm, Flags, Lies } from '../../../../src/testing/software-authenticator.ts'
import { member } from '../codes/code-holder.ts'
import type { Answer, Running } from '../../start-service.ts'

export const rp = { id: 'app.example', origins: ['https://app.example', 'https://www.app.example'] }
const [origin = ''] = rp.origins

interface Wanted {
  readonly algorithm?: Algorithm
  readonly counts?: boolean
  readonly flags?: Flags
}

/** A member of the domain with an authenticator that holds no passkey yet, and the page of the app. */
export async function passkeyUser(running: Running, options: Wanted = {}) {
  const person = await member(running)
  return { ...person, ...passkeyPage(running, person, options) }
}

/** A user whose first factor is a passkey. */
export async function passkeyHolder(running: Running, options: Wanted = {}) {
  const person = await passkeyUser(running, options)
  const added = await person.addPasskey()
  if (added.status !== 200) throw new Error(`The passkey was not added: ${added.text}`)
  return { ...person, passkey: added.json as { id: string; credentialId: string } }
}

/** The service, and the domain of the app. */
interface Place {
  readonly call: Running['call']
  readonly domain: { readonly id: string }
}

/** How a user makes and uses passkeys in the app. */
export function passkeyPage(running: Place, { id }: { readonly id: string }, options: Wanted = {}) {
  const authenticator = createAuthenticator({ origin, ...options })
  const passkeys = `/domains/${running.domain.id}/users/${id}/passkeys`
  const sessions = `/domains/${running.domain.id}/sessions`
  const { call } = running

  const startRegistration = (more: object = {}): Promise<Answer> =>
    call('POST', `${passkeys}/registration`, {
      body: { rp: { ...rp, name: 'App' }, challenge: random128(), first: !('pass' in more), ...more },
    })

  /** Makes a passkey, all at once. @param more Members of both calls. */
  async function addPasskey(more: object = {}, lies: Lies = {}): Promise<Answer> {
    const allowed = { challenge: random128(), first: !('pass' in more), ...more }
    const started = await startRegistration(allowed)
    if (started.status !== 200) return started
    const response = authenticator.make(started.json, lies)
    const { rp: _, ...finishing } = { rp: undefined, ...allowed }
    return call('POST', passkeys, { body: { name: 'Laptop', ...finishing, response } })
  }

  const startUse = (more: object = {}): Promise<Answer> =>
    call('POST', `${passkeys}/authentication`, { body: { rp, challenge: random128(), ...more } })

  const finishUse = (body: object): Promise<Answer> => call('POST', sessions, { body: { user: { id }, ...body } })

  /** Uses the newest passkey, all at once. @param more Members of the session. */
  async function usePasskey(more: object = {}, lies: Lies = {}): Promise<Session> {
    const { challenge = random128(), purpose }: { challenge?: string; purpose?: string } = more
    const started = await startUse({ challenge, purpose })
    const passkey = authenticator.use(started.json, lies)
    return (await finishUse({ challenge, passkey, ...more })).json
  }

  /** Passes with the newest passkey in order to change factors. @returns the id of the session. */
  async function passByPasskey(): Promise<string> {
    const session = await usePasskey({ purpose: 'change_devices', redeem: {} })
    return session.id
  }

  return {
    authenticator,
    passkeys,
    sessions,
    startRegistration,
    addPasskey,
    startUse,
    finishUse,
    usePasskey,
    passByPasskey,
    listPasskeys: async () => (await call('GET', passkeys)).json,
  }
}
