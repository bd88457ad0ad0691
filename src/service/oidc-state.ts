import type { Agent } from 'node:https'

import { z } from 'zod'

import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import { parseOptions } from '../contract/validate.ts'
import { repeat } from '../ground/clock.ts'
import { SetupError } from '../service-handle.ts'
import type { ServiceHandle } from '../service-handle.ts'
import { networkOf } from './engine/base/network.ts'
import { ApiProblem } from './engine/base/problem.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import { createRateLimiter } from './engine/http/rate-limit.ts'
import { createPublicAgent } from './engine/outgoing/public-agent.ts'
import { hasTypedCode } from './features/bypass-codes/typed-code.ts'
import type { TypedCode } from './features/bypass-codes/typed-code.ts'
import {
  consume,
  destroyArtifact,
  findArtifact,
  findByUid,
  revokeByGrant,
  storeArtifact,
} from './features/oidc/artifacts.ts'
import type { OidcPayload } from './features/oidc/artifact-facts.ts'
import { clientMetadata } from './features/oidc/client-metadata.ts'
import { verifyClientSecret } from './features/oidc/client-secrets.ts'
import type { ClientSecretAttempt, SecretResult } from './features/oidc/client-secrets.ts'
import { findOidcClient } from './features/oidc/clients.ts'
import { expectPing } from './features/oidc/expect-ping.ts'
import type { ExpectedPing } from './features/oidc/expect-ping.ts'
import { signingKeys } from './features/oidc/keys.ts'
import type { PrivateJwk } from './features/oidc/keys.ts'
import { createPings } from './features/oidc/pings.ts'
import type { Pings } from './features/oidc/pings.ts'
import { recordOidcEvent } from './features/oidc/record.ts'
import type { OidcEvent } from './features/oidc/record.ts'
import { createSessionStore } from './features/oidc/web-sessions.ts'
import type { OidcSessionStore } from './features/oidc/web-sessions.ts'
import { domainHandles } from './oidc-handles.ts'
import { onceOpened, openedFor } from './opened-for.ts'

/** What the OpenID provider of a service keeps, for `second-factor/oidc`. All nodes of the service share it. */
export interface OidcState {
  /**
   * Storage of one model of oidc-provider, in the shape of its Adapter. `Client` is the registry, with `domain_id`, `client_kind` and
   * `pkce` besides the metadata: it has only `find`, and the other methods reject.
   *
   * @param strangerOf The address of the caller, unless a client has authenticated itself: what strangers in one network can have stored
   *   for a client is limited.
   */
  adapter(model: string, strangerOf?: () => string | undefined): OidcAdapter
  /** The present keys. Makes a new one where it is due. */
  keys(): Promise<OidcKeys>
  /**
   * Calls back when `keys()` has changed: a new key, or the beginning or end of one. Checked once a minute.
   * @returns what ends that.
   */
  onKeysChanged(listener: (keys: OidcKeys) => void): () => void
  /** A registered client; undefined if there is none of this id. */
  client(clientId: string): Promise<OidcClient | undefined>
  /**
   * Verifies the secret of a client. Use it in place of `Client.prototype.compareClientSecret`, because `client_secret` of the
   * registry is a hash that nobody can present.
   */
  verifyClientSecret(attempt: ClientSecretAttempt): Promise<SecretResult>
  /**
   * Whether a user has the recovery code that somebody has typed with the username. It is not used up, and a wrong one locks nothing: ask
   * before a session is created with it.
   */
  hasTypedCode(typed: TypedCode): Promise<boolean>
  /**
   * Counts a request of an address, as the REST interface does (`limits.requestsPerSecond`). Call it before anything is stored.
   * @returns 0, or the seconds until a request of the address is accepted again.
   */
  admit(address: string | undefined): Promise<number>
  /** The domain of a client, as the handle that `mfa()` takes: one object per domain. Closing it leaves the service open. */
  handleFor(domainId: string): ServiceHandle
  /** A store for express-session, on the same table. Each owner finds its own sessions alone. */
  sessionStore(owner: string): OidcSessionStore
  /** Tells a client when a person has answered, and what it has to ask for. It ends with whatever ends its request. */
  expectPing(ping: ExpectedPing): Promise<void>
  /**
   * Sends what clients are told, from as soon as the service is open until `close()`.
   * @param agent Makes the connections; by default to public addresses only.
   */
  startPings(agent?: Agent): void
  /** Writes an audit entry, and counts it. */
  record(event: OidcEvent): Promise<void>
  /** Ends its timers, and what it sends. The service stays open. */
  close(): void
}

/**
 * The methods that oidc-provider calls. Ids and grants are stored as hashes, and payloads sealed.
 *
 * What a user has is a payload that names an `accountId`, which always is the id of an MFA user, or an interaction whose
 * `result.login.accountId` is one. All of it ends when the user's epoch changes, and nothing of it is stored afterwards:
 *  - An interaction with `result.login` needs `result.login.epoch`, the epoch that the second step was verified under
 *    (`Verified.epoch`, or `nextEpoch` where that is the present one).
 *  - A session or grant needs a login that was taken a moment ago, a session of the user, or a backchannel authentication request.
 *  - Whatever has a `grantId` needs that grant.
 */
export interface OidcAdapter {
  /**
   * @param expiresIn Seconds; at most 90 days, and an hour for what belongs to no user.
   * @throws {OidcStateError} `ended` (see above), `used` for a `ReplayDetection` that is stored already, `full` where too much is stored for
   *   the client, and `too_large` for payloads above 32 KiB and assertions that are valid for more
   *   than 90 days.
   */
  upsert(id: string, payload: OidcPayload, expiresIn?: number): Promise<void>
  /** With `consumed`, Unix time in seconds, where it was consumed. Undefined once it has expired or ended. */
  find(id: string): Promise<OidcPayload | undefined>
  findByUid(uid: string): Promise<OidcPayload | undefined>
  /** @throws {OidcStateError} `used` unless this call is the first one, on all nodes. Translate it to `invalid_grant`. */
  consume(id: string): Promise<void>
  /** @throws {OidcStateError} `ended` for an interaction that is gone: used by a request at the same time, or ended with its user. */
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

export interface OidcKeys {
  /** Private keys (RFC 7517): the one that signs first, then those that are only published. */
  readonly jwks: { readonly keys: readonly PrivateJwk[] }
  /** Keys for signed cookies, the newest first: derived from the key ring, and equal on all nodes. */
  readonly cookieKeys: readonly string[]
}

export interface OidcStateOptions {
  /**
   * The age at which the next signing key takes over, days; 7 to 3650.
   * @default `90`
   */
  readonly keyAge?: number | undefined
}

export const OidcStateOptions = z.strictObject({ keyAge: z.int().min(7).max(3650).default(90) })

/** How often to check whether the keys have changed, and for pings that are due, milliseconds. */
const interval = 60_000

const secondsOfADay = 24 * 60 * 60

/**
 * @param service From `createService()` or `embedded()`.
 * @throws {SetupError} if the handle is none of ours.
 * @throws {TypeError} if an option is wrong.
 */
export function oidcStateOf(service: object, stateOptions: OidcStateOptions = {}): OidcState {
  const { keyAge } = parseOptions(OidcStateOptions, 'oidc', stateOptions)
  const opened = openedFor(service)
  if (!opened) throw new SetupError('oidc: expected a service of createService() or embedded()')
  const open = async (): Promise<ServiceContext> => (await opened()).service.ctx
  const handles = domainHandles(service, opened)
  const watch = watchKeys(open, keyAge * secondsOfADay)
  const pings = watchPings()
  let limiter: ReturnType<typeof createRateLimiter> | undefined
  return {
    adapter: (model, strangerOf = () => undefined) =>
      model === 'Client' ? registry(open) : createAdapter(open, model, strangerOf),
    keys: watch.keys,
    onKeysChanged: (listener) => watch.onChange(listener),
    client: async (clientId) => findOidcClient(await open(), clientId),
    verifyClientSecret: async (attempt) => verifyClientSecret(await open(), attempt),
    hasTypedCode: async (typed) => hasTypedCode(await open(), typed),
    async admit(address) {
      const { limits, clock } = await open()
      limiter ??= createRateLimiter('address', limits.requestsPerSecond, clock)
      try {
        limiter.take(networkOf(address))
        return 0
      } catch (error) {
        if (error instanceof ApiProblem) return 1
        throw error
      }
    },
    handleFor: handles,
    sessionStore: (owner) => createSessionStore(open, owner),
    async expectPing(ping) {
      await expectPing(await open(), ping)
      pings.wake()
    },
    startPings: (agent) => onceOpened(service, ({ service: { ctx } }) => pings.start(ctx, agent)),
    record: async (event) => recordOidcEvent(await open(), event),
    close() {
      watch.close()
      pings.close()
    },
  }
}

function createAdapter(
  open: () => Promise<ServiceContext>,
  model: string,
  strangerOf: () => string | undefined,
): OidcAdapter {
  return {
    async upsert(id, payload, expiresIn) {
      const address = strangerOf()
      await storeArtifact(await open(), { model, id }, { payload, expiresIn, address })
    },
    find: async (id) => findArtifact(await open(), { model, id }),
    findByUid: async (uid) => findByUid(await open(), { model, uid }),
    consume: async (id) => consume(await open(), { model, id }),
    destroy: async (id) => destroyArtifact(await open(), { model, id }),
    revokeByGrantId: async (grantId) => revokeByGrant(await open(), model, grantId),
  }
}

/** Clients are registered by administrators, never by the provider. */
function registry(open: () => Promise<ServiceContext>): OidcAdapter {
  const refuse = () => Promise.reject(new TypeError('Clients are registered in the console or at the command line.'))
  return {
    find: async (id) => clientMetadata(await open(), id),
    upsert: refuse,
    findByUid: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}

/** @param maxAge Seconds. */
function watchKeys(open: () => Promise<ServiceContext>, maxAge: number) {
  const listeners = new Set<(keys: OidcKeys) => void>()
  let known: string | undefined
  let stop: (() => void) | undefined
  let isClosed = false

  async function keys(): Promise<OidcKeys> {
    const ctx = await open()
    const found = { jwks: { keys: await signingKeys(ctx, maxAge) }, cookieKeys: ctx.secrets.lookups('OpenID cookies') }
    known ??= nameOf(found)
    if (listeners.size > 0) start(ctx)
    return found
  }

  async function check(): Promise<void> {
    const found = await keys()
    const name = nameOf(found)
    if (name === known) return
    known = name
    for (const listener of listeners) listener(found)
  }

  function start({ clock, logger, failures }: ServiceContext): void {
    if (isClosed || stop) return
    const failed = (error: unknown) => {
      if (!failures.covers(error)) logger.warn({ err: error }, 'the signing keys could not be read')
    }
    stop = repeat(clock, interval, () => void check().catch(failed))
  }

  return {
    keys,
    onChange(listener: (keys: OidcKeys) => void) {
      listeners.add(listener)
      // Whoever reads the keys hears of a service that cannot be opened.
      void open().then(start, () => {})
      return () => void listeners.delete(listener)
    },
    close() {
      isClosed = true
      stop?.()
    },
  }
}

/** Looks once a minute for what another node has left behind. */
function watchPings() {
  let pings: Pings | undefined
  let stop = () => {}
  let isClosed = false
  return {
    start(ctx: ServiceContext, agent: Agent = createPublicAgent()) {
      if (isClosed || pings) return
      const started = createPings(ctx, agent)
      pings = started
      stop = repeat(ctx.clock, interval, () => started.wake())
      started.wake()
    },
    wake: () => pings?.wake(),
    close() {
      isClosed = true
      stop()
      void pings?.close()
    },
  }
}

/** Differs where the published keys, their order, or the keys of the ring do. */
const nameOf = ({ jwks, cookieKeys }: OidcKeys): string => JSON.stringify([jwks.keys.map(({ kid }) => kid), cookieKeys])
