import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors } from 'jose'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'

import { createOutageWatch } from '../../ground/outage.ts'
import type { ResolvedBearer } from '../options/bearer-options.ts'
import { discoverJwksUri, reasonOf } from './metadata.ts'

/** The keys of the issuer could not be read, so no token can be verified. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError'
}

/** How long the issuer is left alone after a failure, seconds: otherwise each request would wait for it. */
export const retryAfter = 5

/**
 * The public keys of an issuer. jose keeps them for ten minutes, and reads them again for a `kid` that it does not know, at most every 30 seconds.
 * The keys always come from here: headers of a token that bring a key or name an address (`jwk`, `jku`, `x5c`, `x5u`) are not read.
 *
 * @returns a function that throws {KeysUnavailableError} where the keys cannot be read.
 */
export function createKeys(bearer: ResolvedBearer): JWTVerifyGetKey {
  const { issuer, jwksUri, timeout, clock, logger } = bearer
  const outage = createOutageWatch(clock, {
    onStart: (error) =>
      logger.error(`requireMfa: the keys of ${issuer} cannot be read, so tokens get 503: ${reasonOf(error)}`),
    onEnd: ({ seconds }) => logger.warn(`requireMfa: the keys of ${issuer} can be read again after ${seconds} s`),
  })
  let failure: { readonly at: number; readonly error: unknown } | undefined

  async function fetchKeys(init: RequestInit): Promise<Response> {
    if (failure && clock.now() - failure.at < retryAfter) throw failure.error
    try {
      const get = (address: string) => getFrom(address, init, bearer.fetch ?? fetch)
      const response = await get(jwksUri ?? (await discoverJwksUri(issuer, get)))
      const keys = (await response.json()) as JSONWebKeySet
      // jose reads them only after this function, and would not tell us what is wrong with them.
      createLocalJWKSet(keys)
      failure = undefined
      outage.succeeded()
      return Response.json(keys)
    } catch (error) {
      failure = { at: clock.now(), error }
      outage.failed(error)
      throw error
    }
  }

  // The address is asked for anew each time, because the issuer may move its keys.
  const read = createRemoteJWKSet(new URL(jwksUri ?? issuer), {
    timeoutDuration: timeout,
    [customFetch]: (_address, init) => fetchKeys(init),
  })
  return async (header, token) => {
    try {
      return await read(header, token)
    } catch (error) {
      if (isAboutToken(error)) throw error
      throw new KeysUnavailableError(`the keys of ${issuer} cannot be read`, { cause: error })
    }
  }
}

/** Redirects are not followed: where the keys are is up to the app and the issuer. */
async function getFrom(address: string, init: RequestInit, send: typeof fetch): Promise<Response> {
  const response = await send(address, { ...init, redirect: 'manual' })
  if (response.status === 200) return response
  await response.body?.cancel()
  throw new Error(`${address} answered ${response.status}`)
}

/** Whether the issuer has told its keys, and none of them fits the token. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}
