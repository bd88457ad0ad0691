import { randomBytes } from 'node:crypto'

import { defaultVendor, mediaType, authorization } from '../contract/media-type.ts'
import { parseOptions } from '../contract/validate.ts'
import { systemClock } from '../ground/clock.ts'
import { openEmbedded } from './embedded.ts'
import { codeAt, newSeed, stepAt } from './features/codes/totp.ts'
import { EmbeddedOptions } from './options.ts'

/** After so many sign-ins, V8 has optimized most functions that a code needs. */
const signIns = 300

/**
 * Signs in a made-up user with codes, so that the first users after a start do not wait for V8, which compiles the functions of a
 * sign-in when it has run them often, and for Kysely, which builds each statement when it is first executed. A service of its own
 * on a database in memory does this: the service that starts is neither changed nor observed. Requests are served in between.
 */
export async function warmUp(signal: AbortSignal): Promise<void> {
  let clockOffset = 0
  const clock = { ...systemClock, now: () => systemClock.now() + clockOffset }
  const keys = `warm-up:${randomBytes(32).toString('base64')}`
  const options = { database: ':memory:', keys, clock, logger: silent, push: false }
  const service = await openEmbedded(parseOptions(EmbeddedOptions, 'warmUp', options), {}, { create: true })
  try {
    const { apiKey, domainId } = service.connection
    const type = mediaType(defaultVendor, '1.4')
    const headers = { accept: type, authorization: authorization(defaultVendor, apiKey), 'content-type': type }
    const call = async (method: 'POST' | 'PUT', path: string, body: object = {}) => {
      const answer = await service.call({ method, path, headers, body: JSON.stringify(body) })
      if (answer.status >= 300) throw new Error(`${method} ${path} was answered with ${answer.status}.`)
      const text = answer.body.toString()
      return (text === '' ? {} : JSON.parse(text)) as { readonly id: string; readonly state?: string }
    }
    const user = { username: 'warm-up', name: 'Warm-up', email: null }
    const { id: userId } = await call('POST', '/users', user)
    await call('PUT', `/domains/${domainId}/users/${userId}`)
    const seed = newSeed(randomBytes)
    const token = { serialNumber: 'warm-up', type: 'TOTP6', timeStep: 30, seed }
    const { id: tokenId } = await call('POST', '/hardware', token)
    await call('PUT', `/users/${userId}/hardware/${tokenId}`)
    for (let count = 0; count < signIns && !signal.aborted; count++) {
      clockOffset += 30
      const otp = codeAt({ seed, digits: 6 }, stepAt(clock.now(), 30))
      const challenge = randomBytes(16).toString('base64url')
      const sessions = `/domains/${domainId}/sessions`
      const { state } = await call('POST', sessions, { user: { username: user.username }, otp, challenge, redeem: {} })
      if (state !== 'approved') throw new Error(`The code was ${state}.`)
      await nextTurn()
    }
  } finally {
    await service.close()
  }
}

const silent = { info() {}, warn() {}, error() {} }

/** Requests that have arrived are served first. */
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
