import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { z } from 'zod'

import type { EntraSettings } from '../admin-contract/oidc-entra.ts'
import { entraClouds } from '../admin-contract/oidc-entra.ts'
import { parseJson } from '../contract/validate.ts'
import { EntraError } from './entra-error.ts'

type Tenant = Pick<EntraSettings, 'tenant' | 'cloud'>

/** Reads an address; `fetch` does. */
export type FetchFrom = (address: string, init: RequestInit) => Promise<Response>

/** The keys that a tenant of Microsoft Entra signs with. */
export interface TenantKeys {
  /**
   * @param kid The id of the key, as a token names it.
   * @returns undefined if the tenant has no such key.
   * @throws {EntraError} `temporarily_unavailable` if Microsoft does not answer.
   */
  find(tenant: Tenant, kid: string): Promise<KeyObject | undefined>
}

/** The issuer of the tokens of a tenant. */
export const issuerOf = ({ tenant, cloud }: Tenant): string => `https://${entraClouds[cloud].host}/${tenant}/v2.0`

/** When to read keys again, seconds. Microsoft changes them without notice. */
const readAgainAfter = 3_600
/** How long keys count where Microsoft does not answer, seconds. */
const maxAge = 86_400
/** How often a key that is unknown has all of them read again, seconds: anyone can name keys that do not exist. */
const unknownPause = 300
/** How long nobody asks again after a failure, seconds: each request of a stranger would wait for Microsoft anew. */
const failurePause = 5

/** Milliseconds. */
const timeout = 5_000
/** Bytes; the keys of a tenant take about 20,000. */
const longestDocument = 256 * 1024

interface Known {
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Unix time, seconds. */
  readonly at: number
}

/** @param now Unix time, seconds. */
export function createTenantKeys(fetchFrom: FetchFrom, now: () => number): TenantKeys {
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<Known>>()
  /** When the keys of an issuer could not be read, Unix time, seconds. */
  const failed = new Map<string, number>()

  /** Callers that need the same keys share one request. */
  function read(tenant: Tenant): Promise<Known> {
    const issuer = issuerOf(tenant)
    const current = reading.get(issuer)
    if (current) return current
    const started = readKeys(fetchFrom, tenant)
      .then((keys) => {
        const found = { keys, at: now() }
        known.set(issuer, found)
        return found
      })
      .catch((error: unknown) => {
        failed.set(issuer, now())
        throw error
      })
      .finally(() => reading.delete(issuer))
    reading.set(issuer, started)
    return started
  }

  return {
    async find(tenant, kid) {
      const before = known.get(issuerOf(tenant))
      const age = before ? now() - before.at : Infinity
      const key = before?.keys.get(kid)
      if (key ? age < readAgainAfter : age < unknownPause) return key
      try {
        if (now() - (failed.get(issuerOf(tenant)) ?? -Infinity) < failurePause)
          throw new Error('the keys could not be read a moment ago')
        return (await read(tenant)).keys.get(kid)
      } catch (error) {
        if (key && age < maxAge) return key
        throw new EntraError('temporarily_unavailable', 'the keys of the tenant could not be read', { cause: error })
      }
    },
  }
}

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.string() })

const KeySet = z.object({ keys: z.array(z.looseObject({})).max(100) })

const SigningKey = z.object({
  kty: z.literal('RSA'),
  kid: z.string(),
  n: z.string(),
  e: z.string(),
  use: z.literal('sig').optional(),
  issuer: z.string().optional(),
})

/**
 * Reads the keys of a tenant from its metadata.
 *
 * @see Microsoft, "Access tokens in the Microsoft identity platform", "Validate the signature": a key may belong to one issuer.
 */
async function readKeys(fetchFrom: FetchFrom, tenant: Tenant): Promise<ReadonlyMap<string, KeyObject>> {
  const issuer = issuerOf(tenant)
  const metadata = Metadata.parse(await readJson(fetchFrom, `${issuer}/.well-known/openid-configuration`))
  if (metadata.issuer !== issuer) throw new Error(`the metadata of ${issuer} is that of another issuer`)
  const address = new URL(metadata.jwks_uri)
  if (address.origin !== new URL(issuer).origin) throw new Error(`the keys of ${issuer} are at another host`)
  const { keys } = KeySet.parse(await readJson(fetchFrom, address.href))
  return new Map(
    keys.flatMap((key) => {
      const parsed = SigningKey.safeParse(key)
      if (!parsed.success || !isOf(issuer, tenant, parsed.data.issuer)) return []
      const { kid, kty, n, e } = parsed.data
      const publicKey = createPublicKey({ key: { kty, n, e }, format: 'jwk' })
      return (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? [] : [[kid, publicKey] as const]
    }),
  )
}

/** Whether a key may sign for an issuer. Its own issuer can be a template for all tenants. */
const isOf = (issuer: string, { tenant }: Tenant, ofKey = issuer): boolean =>
  ofKey.replace('{tenantid}', tenant) === issuer

async function readJson(fetchFrom: FetchFrom, address: string): Promise<unknown> {
  const response = await fetchFrom(address, { redirect: 'error', signal: AbortSignal.timeout(timeout) })
  if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.byteLength
    if (length > longestDocument) throw new Error(`${address} answered with more than ${longestDocument} bytes`)
    chunks.push(chunk)
  }
  return parseJson(Buffer.concat(chunks).toString())
}
