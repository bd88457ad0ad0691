import { holder, otherThan } from '../codes/code-holder.ts'
import { random128 } from '../../../support/device-signer.ts'
import type { Running } from '../../start-service.ts'

type Caller = Pick<Running, 'call' | 'clock' | 'domain'>

export interface PassedBrowser {
  readonly id?: string | undefined
  readonly rememberDays?: number
  readonly name?: string
}

/** Gives a code and redeems the approval in a browser. @returns what the service says of the browser. */
export async function passByCode({ call, domain }: Caller, input: object, browser: PassedBrowser = {}) {
  const challenge = random128()
  const { json: session } = await call('POST', `/domains/${domain.id}/sessions`, { body: { ...input, challenge } })
  const path = `/domains/${domain.id}/sessions/${session.id}/redeem`
  const { json } = await call('POST', path, { body: { challenge, browser } })
  return json?.browser as { id: string; expiresAt: number; rememberedUntil?: number } | undefined
}

/** A user with a hardware token who passes in browsers, and an attacker who only knows the password. */
export async function browserUser(running: Running) {
  const person = await holder(running)
  const { call, clock, domain } = running
  const sessions = `/domains/${domain.id}/sessions`
  const browsers = `/domains/${domain.id}/users/${person.id}/browsers`
  const user = { id: person.id }
  const wrong = () => otherThan(person.token.code(-1), person.token.code(), person.token.code(1))
  const outcome = async (body: object) => {
    const { status, json, code, headers } = await call('POST', sessions, { body: { user, ...body } })
    return status === 200 ? (json.state as string) : `${code} ${headers.get('retry-after')}`
  }
  return {
    ...person,
    browsers,
    wrong,
    /** Passes with the code the token shows, and waits until it shows another one. */
    pass: async (browser: PassedBrowser = {}) => {
      const knownBrowser = await passByCode(running, { user, otp: person.token.code() }, browser)
      await clock.advance(30)
      return knownBrowser
    },
    /** A code from this browser; the state of the session, or the error and when to try again. */
    enter: (otp: string, browser?: string) => outcome({ otp, browser, challenge: random128() }),
    guess: async (times: number, browser?: string) => {
      for (let i = 0; i < times; i += 1) await outcome({ otp: wrong(), browser, challenge: random128() })
    },
    recognize: (browser: string | undefined) => call('POST', `${browsers}/recognize`, { body: { browser } }),
    isKnown: async (browser: string | undefined) =>
      (await call('POST', `${browsers}/recognize`, { body: { browser } })).status === 200,
    pauses: async (browser?: string) =>
      (await call('POST', browsers.replace(/browsers$/, 'pauses'), { body: { browser } })).json,
  }
}
