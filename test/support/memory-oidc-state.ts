import { generateKeyPairSync, randomBytes } from 'node:crypto'

import type { OidcClient } from '../../src/service/features/oidc/clients.ts'
import type { OidcAdapter, OidcKeys, OidcPayload, OidcState, SessionData } from '../../src/service/oidc-state.ts'
import type { OidcEvent } from '../../src/service/oidc-state.ts'
import { OidcStateError } from '../../src/service/oidc-state.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'

/** A client and its secret. */
export type RegisteredClient = OidcClient & { readonly secret?: string; readonly resources?: readonly string[] }

/** What a provider keeps, in memory: without what ends with a user. */
export function createMemoryOidcState(service: ServiceHandle) {
  const clients = new Map<string, RegisteredClient>()
  const stored = new Map<string, OidcPayload>()
  const webSessions = new Map<string, SessionData>()
  const events: OidcEvent[] = []
  const listeners = new Set<(keys: OidcKeys) => void>()
  let keys: OidcKeys = { jwks: { keys: [newKey('first')] }, cookieKeys: [randomBytes(32).toString('base64url')] }
  const now = () => Math.floor(Date.now() / 1000)

  const adapter = (model: string): OidcAdapter => {
    const live = (payload: OidcPayload | undefined) =>
      payload && Number(payload['exp'] ?? Number.POSITIVE_INFINITY) > now() ? payload : undefined
    const where = async (member: string, value: string) =>
      live([...stored].find(([key, payload]) => key.startsWith(`${model}:`) && payload[member] === value)?.[1])
    return {
      async upsert(id, payload) {
        if (model === 'ReplayDetection' && live(stored.get(`${model}:${id}`))) throw new OidcStateError('used', 'used')
        stored.set(`${model}:${id}`, structuredClone(payload))
      },
      find: async (id) => structuredClone(live(stored.get(`${model}:${id}`))),
      findByUid: (uid) => where('uid', uid),
      findByUserCode: (code) => where('userCode', code),
      async consume(id) {
        const payload = stored.get(`${model}:${id}`)
        if (!payload || payload['consumed'] !== undefined) throw new OidcStateError('used', 'used')
        payload['consumed'] = now()
      },
      destroy: async (id) => void stored.delete(`${model}:${id}`),
      async revokeByGrantId(grantId) {
        for (const [key, payload] of stored) if (payload['grantId'] === grantId) stored.delete(key)
      },
    }
  }

  const state: OidcState = {
    adapter,
    keys: () => Promise.resolve(keys),
    onKeysChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    client: (id) => Promise.resolve(clients.get(id)),
    verifyClientSecret: ({ clientId, secret }) =>
      Promise.resolve({ result: clients.get(clientId)?.secret === secret ? 'right' : 'wrong' }),
    handleFor: () => ({ ...service, close: () => Promise.resolve() }),
    sessionStore: () => ({
      get: (id, callback) => callback(null, structuredClone(webSessions.get(id))),
      set(id, session, callback) {
        webSessions.set(id, JSON.parse(JSON.stringify(session)) as SessionData)
        callback?.()
      },
      destroy(id, callback) {
        webSessions.delete(id)
        callback?.()
      },
      touch: (_id, _session, callback) => callback?.(),
    }),
    async record(event) {
      events.push(event)
    },
    close() {},
  }

  return {
    state,
    events,
    register: (client: RegisteredClient) => void clients.set(client.id, client),
    rotate() {
      keys = { jwks: { keys: [newKey(`key${keys.jwks.keys.length}`), ...keys.jwks.keys] }, cookieKeys: keys.cookieKeys }
      for (const listener of listeners) listener(keys)
    },
  }
}

function newKey(kid: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256', kty: 'RSA' } as const
}
