/**
 * What a code takes in any program: its statements, hashes, decryption and answer, on node:http and a driver. Nothing is
 * validated, limited or observed. The service in the same process only prepares the users, so that the same load is used for
 * both. With `at-once` in the second argument, it remembers what the first code of a user has read, and sends all statements
 * of the next ones at once, which no real code can do.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { pooledRandom } from '../../src/ground/pooled-random.ts'
import { chainStart, hashEntry } from '../../src/service/engine/audit/entry.ts'
import { hashApiKey } from '../../src/service/engine/http/authenticate.ts'
import { newId, random128 } from '../../src/service/engine/base/random.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { parseKeyRing } from '../../src/service/engine/secrets/key-ring.ts'
import { createSecrets } from '../../src/service/engine/secrets/secrets.ts'
import { createService } from '../../src/service/service.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Execute, Row } from './by-hand/database.ts'
import { openPostgres } from './by-hand/postgres.ts'
import { openSqlite } from './by-hand/sqlite.ts'
import { listen, ready } from './listen.ts'
import { keys, prepareDomain } from './prepare.ts'
import type { ServiceGiven } from './prepare.ts'

const [address = '', way] = process.argv.slice(2)
const ring = parseKeyRing(keys)
const secrets = createSecrets(() => ring, pooledRandom)
const clock = createMovedClock()
const service = await createService({ database: address, keys, clock })
const { organizationId, domainId, apiKey } = await prepareDomain(service)
const database = await (address.startsWith('postgres') ? openPostgres(address) : openSqlite(address))

const head = { writer: newId(pooledRandom), sequence: 0, hash: chainStart }
await database.transact((execute) =>
  execute('insertAuditWriter', [head.writer, 0, chainStart, 0, chainStart, clock.now(), null]),
)

let closing: Promise<void> | undefined
/** The first code comes after the last user. The service would also write now and then. */
const prepared = (): Promise<void> => (closing ??= service.close())

const { url, close } = await listen((req, res) => {
  if (req.url === '/bench/clock') {
    clock.move(30)
    res.end(String(clock.now()))
  } else if (req.method === 'POST' && req.url?.endsWith('/sessions')) {
    let body = ''
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    req.on('end', () => {
      check(req, body).then(
        (answer) => send(res, req.headers.accept, answer),
        (error: unknown) => void res.writeHead(500).end(String(error)),
      )
    })
  } else service.listener(req, res)
})
const reachable = url.replace('127.0.0.1', 'localhost')
ready({ url: reachable, apiKey, domainId, database: address } satisfies ServiceGiven, async () => {
  close()
  await prepared()
  await database.close()
})

function send(res: ServerResponse, type: string | undefined, answer: object): void {
  const text = JSON.stringify(answer)
  const headers = { 'content-type': type, 'content-length': text.length, 'cache-control': 'no-store' }
  res.writeHead(200, headers).end(text)
}

async function check({ headers }: IncomingMessage, body: string): Promise<object> {
  await prepared()
  const [, sentKey = ''] = /^Service key="([^"]+)"$/.exec(headers.authorization ?? '') ?? []
  const hash = hashApiKey(sentKey)
  const { user, otp } = JSON.parse(body) as { readonly user: { readonly username: string }; readonly otp: string }
  const { username } = user
  const member = remembered?.get(username)
  if (member) return database.transact((execute) => passAtOnce(execute, { hash, username, otp }, member))
  const key = first(await database.read('apiKeyByHash', [hash]))
  if (!timingSafeEqual(Buffer.from(key['hash'] ?? ''), Buffer.from(hash))) throw new Error('The key is wrong.')
  return database.transact((execute) => pass(execute, key, username, otp))
}

interface Known {
  readonly key: Row
  readonly userId: string
  readonly generatorId: string
  readonly seed: string
}

/** Members by username. */
const remembered = way === 'at-once' ? new Map<string, Known>() : undefined

/** A right code approves a session, and a wrong one denies it. */
async function pass(execute: Execute, key: Row, username: string, otp: string): Promise<object> {
  const [, users] = await Promise.all([
    execute('domainById', [domainId, organizationId]),
    execute('lockedMemberByUsername', [domainId, organizationId, username]),
  ])
  const { id: userId = '' } = first(users)
  const { id: generatorId = '', seed = '' } = first(await execute('generatorsOf', [userId, domainId, userId]))
  const member = { key, userId, generatorId, seed }
  remembered?.set(username, member)
  const isUsed = ((await use(execute, member, otp)) ?? []).length > 0
  if (isUsed) void execute('forget other', [userId])
  return settle(execute, member, isUsed ? 'approved' : 'denied')
}

async function passAtOnce(
  execute: Execute,
  { hash, username, otp }: { readonly hash: string; readonly username: string; readonly otp: string },
  member: Known,
): Promise<object> {
  const { userId } = member
  void execute('apiKeyByHash', [hash])
  void execute('domainById', [domainId, organizationId])
  void execute('lockedMemberByUsername', [domainId, organizationId, username])
  void execute('generatorsOf', [userId, domainId, userId])
  const used = use(execute, member, otp)
  if (used) void execute('forget other', [userId])
  return settle(execute, member, used ? 'approved' : 'denied')
}

/** @returns undefined if the code is wrong. */
function use(execute: Execute, { userId, generatorId, seed }: Known, otp: string): Promise<readonly Row[]> | undefined {
  const source = { seed: secrets.open(seed, { kind: 'seed', id: generatorId, userId }), digits: 6 } as const
  const currentStep = stepAt(clock.now(), 30)
  const step = [currentStep, currentStep - 1].find((each) => codeAt(source, each) === otp)
  return step === undefined ? undefined : execute('useStep', [step, step - currentStep, generatorId, step])
}

function settle(execute: Execute, { key, userId, generatorId }: Known, state: 'approved' | 'denied'): object {
  const now = clock.now()
  const id = newId(pooledRandom)
  const none = null
  const sessionValues = [id, domainId, userId, state, random128(pooledRandom), '[]', now, now + 90, 'sign_in', 0, 0, 0]
  const answered = [
    none,
    none,
    'otp',
    generatorId,
    none,
    none,
    none,
    none,
    now,
    ...Array.from({ length: 9 }, () => none),
  ]
  void execute('insertSession', [...sessionValues, ...answered])
  record(execute, key, {
    event: `session.${state}`,
    facts: { session: id, domain: domainId, user: userId, factor: 'otp' },
  })
  return { id, state, factor: 'otp', factorId: generatorId, purpose: 'sign_in', createdAt: now, settledAt: now }
}

interface Event {
  readonly event: string
  readonly facts: Readonly<Record<string, string>>
}

function record(execute: Execute, { id = '' }: Row, { event, facts }: Event): void {
  const at = clock.now()
  head.sequence += 1
  const place = { writer: head.writer, sequence: head.sequence, organizationId, address: null }
  head.hash = hashEntry(head.hash, { ...place, at, event, actor: { kind: 'api_key', id }, facts })
  const values = [head.writer, head.sequence, at, event, 'api_key', id, organizationId, null]
  void execute('insertAuditRow', [...values, JSON.stringify(facts), head.hash])
}

/** @throws where the benchmark has not prepared it. */
function first([row]: readonly Row[]): Row {
  if (!row) throw new Error('The benchmark has no such row.')
  return row
}
