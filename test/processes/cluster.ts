import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import { Client } from 'pg'

import { createDevice } from '../../src/device/index.ts'
import type { Account } from '../../src/device/index.ts'
import { parseState } from '../../src/express/session/stored-state.ts'
import { runIn } from '../cli/admin/run-command.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { startLoadBalancer } from '../support/load-balancer.ts'
import type { LoadBalancer } from '../support/load-balancer.ts'
import { startPostgres } from '../support/postgres.ts'
import type { OwnPostgres } from '../support/postgres.ts'
import { serve, startScript } from './command.ts'
import type { Served } from './command.ts'

const webNode = fileURLToPath(new URL('web-node.ts', import.meta.url))
const sessionTable = createRequire(import.meta.url).resolve('connect-pg-simple/table.sql')

/** One of several processes behind a load balancer. */
export interface Node {
  readonly origin: () => string
  /** SIGKILL. */
  readonly kill: () => void
  readonly signal: (name: NodeJS.Signals) => void
  readonly restart: () => Promise<void>
  readonly stderr: () => string
}

export interface Cluster {
  readonly postgres: OwnPostgres
  readonly database: string
  readonly keys: NodeJS.ProcessEnv
  readonly serviceNodes: readonly Node[]
  readonly webNodes: readonly Node[]
  readonly service: LoadBalancer
  readonly web: LoadBalancer
  readonly call: ReturnType<typeof createCall>
  readonly apiKey: string
  readonly domainId: string
  readonly enroll: (username: string) => Promise<Person>
  /** Web sessions that are verified, as they are stored. */
  readonly verifiedSessions: () => Promise<readonly VerifiedSession[]>
  readonly stop: () => Promise<void>
}

export interface Person {
  readonly username: string
  readonly id: string
  readonly account: Account
  /** Requests that this person's phone was told to approve, also where no answer came. */
  readonly approved: Set<string>
}

export interface VerifiedSession {
  readonly username: string
  /** What it was verified by. */
  readonly factor: string | undefined
  /** Of the service: which request was approved, or which code was right. */
  readonly sessionId: string | undefined
}

export const device = createDevice()

export interface ClusterOptions {
  readonly services?: number
  readonly webs?: number
  readonly fsync?: boolean
  /** What is placed between the service nodes and their database. @returns the address through it, and what else they need. */
  readonly between?: (database: string) => Promise<{ readonly address: string; readonly env?: NodeJS.ProcessEnv }>
}

/** Service nodes and web nodes as real processes, on one PostgreSQL, each kind behind a load balancer. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { services = 3, webs = 2, fsync = false, between } = options
  const postgres = await startPostgres({ fsync })
  const [database, sessions] = [await postgres.createDatabase(), await postgres.createEmptyDatabase()]
  await onDatabase(sessions, (client) => client.query(readFileSync(sessionTable, 'utf8')))
  const keys = { MFA_KEYS: `k1:${randomBytes(32).toString('base64')}` }
  const { domainId, apiKey } = (await runIn(keys, 'init', '--database', database, '--json')).json

  const { address = database, env: more = {} } = (await between?.(database)) ?? {}
  const serviceNodes = await several(services, () => serve(address, { ...keys, ...more }))
  const service = await startLoadBalancer(() => serviceNodes.map(({ origin }) => origin()))
  const webNodes: Node[] = []
  const web = await startLoadBalancer(() => webNodes.map(({ origin }) => origin()))
  const env = {
    SESSIONS: sessions,
    PUBLIC_URL: web.url,
    MFA_BASE_URL: `${service.url}/api`,
    MFA_AUTHENTICATOR_URL: service.url,
    MFA_API_KEY: apiKey,
    MFA_DOMAIN_ID: domainId,
  }
  webNodes.push(...(await several(webs, () => startScript(webNode, env))))
  const call = createCall(service.url, apiKey)

  return {
    postgres,
    database,
    keys,
    serviceNodes,
    webNodes,
    service,
    web,
    call,
    apiKey,
    domainId,
    async enroll(username) {
      const { id, account } = await enrollHolder({ call, url: service.url, domainId }, username)
      return { username, id, account, approved: new Set() }
    },
    verifiedSessions: () =>
      onDatabase(sessions, async (client) => {
        const { rows } = await client.query<{ username: string; mfa: unknown }>(
          `select sess->'passport'->>'user' as username, sess->'mfa' as mfa
            from session where sess->'mfa'->'verified' is not null`,
        )
        return rows.map(({ username, mfa }) => {
          const { verified } = parseState(mfa)
          return { username, factor: verified?.factor, sessionId: verified?.sessionId }
        })
      }),
    async stop() {
      for (const node of [...webNodes, ...serviceNodes]) node.kill()
      await Promise.all([web.close(), service.close()])
      await postgres.stop()
    },
  }
}

/** A user of the domain, with a phone. */
export async function enrollHolder(
  { call, url, domainId }: { call: Cluster['call']; url: string; domainId: string },
  username: string,
): Promise<{ readonly id: string; readonly account: Account }> {
  const { id } = (await call('POST', '/users', { body: newUser(username) })).json
  const path = `/domains/${domainId}/users/${id}`
  await call('PUT', path)
  const { code } = (await call('PUT', `${path}/token`)).json
  return { id, account: await device.activate(url, code, { name: `Phone of ${username}` }) }
}

/** Started one after the other: on few cores that takes no longer. */
async function several(count: number, start: () => Promise<Served>): Promise<Node[]> {
  const nodes: Node[] = []
  for (let index = 0; index < count; index += 1) nodes.push(await createNode(start))
  return nodes
}

export async function createNode(start: () => Promise<Served>): Promise<Node> {
  let running = await start()
  return {
    origin: () => running.origin,
    kill: () => running.kill(),
    signal: (name) => running.signal(name),
    async restart() {
      running = await start()
    },
    stderr: () => running.stderr(),
  }
}

async function onDatabase<T>(database: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(database)
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}
