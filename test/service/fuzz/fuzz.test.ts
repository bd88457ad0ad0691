import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ErrorBody, errorStatus, isErrorCode } from '../../../src/contract/errors.ts'
import { operations } from '../../../src/contract/operations.ts'
import { isLongRun } from '../../support/full-run.ts'
import { exchange, openRaw } from '../../support/raw-http.ts'
import type { RawAnswer } from '../../support/raw-http.ts'
import { openPostgres } from '../../support/postgres.ts'
import type { Postgres } from '../../support/postgres.ts'
import { createTenant, newUser, startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'
import { createChance } from './random.ts'
import { randomRequest } from './requests.ts'
import type { FuzzRequest, Known } from './requests.ts'

const seed = 20_261_120
/** The long run sends sixty times as many requests. */
const factor = isLongRun ? 60 : 1
/** Most of them on SQLite; in the long run, some more on a database that could choke on their values. */
const engines: readonly { readonly engine: string; readonly wellFormed: number; readonly malformed: number }[] = [
  { engine: 'SQLite', wellFormed: 1_400 * factor, malformed: 200 * factor },
  ...(isLongRun ? [{ engine: 'PostgreSQL', wellFormed: 300 * factor, malformed: 40 * factor }] : []),
]
/** Requests in progress on one connection. */
const pipelined = 25
const connections = 4

let running: Running
let known: Known

/** A service with a user. */
async function start(database: string): Promise<void> {
  running = await startService({ database, metrics: { token: 'sixteen characters' } })
  const other = await createTenant(running.service, running.origin)
  const { user, ask } = await running.enroll('alice')
  const { id } = await ask()
  known = {
    // Mostly the key of the organization with the data.
    keys: [...Array.from({ length: 9 }, () => running.apiKey), other.apiKey],
    ids: {
      domainId: [running.domain.id],
      userId: [user.id],
      sessionId: [id],
      hardwareTokenId: [],
      bypassCodeId: [],
      approvalId: [],
    },
  }
}

const port = () => Number(new URL(running.origin).port)

/** Returns what is wrong with a response, if anything. */
function complaint(method: string, answer: RawAnswer): string | undefined {
  if (answer.status >= 500) return 'is one of ours'
  if (answer.status < 400) return answer.status === 200 || answer.status === 304 ? undefined : 'is no success we know'
  if (!/^application\/(vnd\.service\.v1\+)?json(;|$)/.test(answer.headers.get('content-type') ?? ''))
    return 'has no type'
  if (method === 'HEAD') return undefined
  const body = ErrorBody.safeParse(parsed(answer.body))
  const code = body.data?.errors[0]?.code ?? ''
  if (!isErrorCode(code)) return 'has not the shape of an error'
  return errorStatus[code] === answer.status ? undefined : 'has a status that is not that of its code'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Rejected by the schema.
    return undefined
  }
}

/** Collects created ids for later requests. */
function learn({ about }: FuzzRequest, answer: RawAnswer): void {
  const parameters: Record<string, string> = {
    createUser: 'userId',
    createSession: 'sessionId',
    createApproval: 'approvalId',
    createHardwareToken: 'hardwareTokenId',
    createBypassCode: 'bypassCodeId',
  }
  const parameter = parameters[about]
  const id = answer.status === 200 && parameter && (parsed(answer.body) as { id?: string } | undefined)?.id
  if (id) known.ids[parameter]?.push(id)
}

describe.each(engines)(
  '$wellFormed and $malformed requests at random, $engine',
  ({ engine, wellFormed, malformed }) => {
    let postgres: Postgres | undefined

    beforeAll(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgres()
      await start((await postgres?.createEmptyDatabase()) ?? ':memory:')
    })
    afterAll(async () => {
      await running.close()
      await postgres?.stop()
    })

    /** The log lines that a healthy service does not write. */
    const faults = () => running.logged.filter(({ message }) => !expectedMessages.test(message))

    it(
      'random requests that are valid HTTP never get a 5xx or an error without the common format',
      { timeout: 300_000 },
      async () => {
        const chance = createChance(seed)
        const complaints: string[] = []
        const answered = new Map<string, Set<number>>()
        let remaining = wellFormed

        const drive = async () => {
          const connection = await openRaw(port())
          while (remaining > 0) {
            const batch = Array.from({ length: Math.min(pipelined, remaining) }, () => randomRequest(chance, known))
            remaining -= batch.length
            connection.send(Buffer.concat(batch.map(({ bytes }) => bytes)))
            for (const request of batch) {
              const answer = await connection.answer(request.method)
              const wrong = complaint(request.method, answer)
              if (wrong)
                complaints.push(
                  `${wrong}: ${request.bytes.toString().slice(0, 2_000)}\n→ ${answer.head}\n${answer.body}`,
                )
              if (request.usual)
                answered.set(request.about, (answered.get(request.about) ?? new Set()).add(answer.status))
              learn(request, answer)
            }
            // Some of these objects have been deleted meanwhile.
            await refill()
          }
          connection.end()
        }
        await Promise.all(Array.from({ length: connections }, drive))

        expect(complaints).toEqual([])
        expect(engine === 'SQLite' ? unreached(answered) : []).toEqual([])
        expect(faults()).toEqual([])
      },
    )

    it('random requests that are not HTTP get an error in the common format', { timeout: 120_000 }, async () => {
      const chance = createChance(seed + 1)
      const complaints: string[] = []

      for (let remaining = malformed; remaining > 0; remaining -= connections) {
        const requests = Array.from({ length: connections }, () =>
          mangled(randomRequest(chance, known).bytes, chance.number(mangling.length)),
        )
        for (const bytes of requests) {
          const answer = await exchange(port(), bytes)
          const wrong = answer.status < 400 ? 'is a success' : complaint('GET', answer)
          if (wrong)
            complaints.push(`${wrong}: ${bytes.toString('latin1').slice(0, 2_000)}\n→ ${answer.head}\n${answer.body}`)
        }
      }

      expect(complaints).toEqual([])
      expect(faults()).toEqual([])
    })

    it('random requests that carry values a database could choke on get no 5xx', async () => {
      const { json: user } = await running.call('POST', '/users', { body: newUser('minded') })
      const sessions = `/domains/${running.domain.id}/sessions`
      await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)

      for (const text of ['\u0000', 'a\u0000b', '\ud800', '\u{10ffff}', '\ufffe', '\'"\\', '%', '_']) {
        const query = text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
        const token = { serialNumber: text, alias: text, type: 'TOTP6', timeStep: 30, seed: '0'.repeat(40) }
        const attributes = [{ key: text, value: text }]
        const answers = [
          await running.call('GET', `/users?username=${query}`),
          await running.call('POST', '/users', { body: { ...newUser(text), name: text } }),
          await running.call('PUT', `/users/${user.id}`, { body: { name: text } }),
          await running.call('POST', '/hardware', { body: token }),
          await running.call('POST', sessions, { body: { user: { username: text }, attributes } }),
          await running.call('POST', sessions, { body: { user: { id: user.id }, otp: text, attributes } }),
          await running.call('POST', sessions, { body: { user: { id: user.id }, bypasscode: text, attributes } }),
          await running.call('PUT', `/domains/${running.domain.id}/users`, {
            body: [{ ...newUser(text), name: text }],
          }),
        ]

        expect(answers.filter(({ status }) => status >= 500).map((answer) => answer.text)).toEqual([])
      }
      expect(faults()).toEqual([])
    })

    it('random requests leave the service healthy', async () => {
      const answer = await running.call('GET', '/ping')
      const { ask, session, device, pending } = await running.enroll('after the storm')
      const { id } = await ask()
      const [request] = await pending()
      await device.answer(id, { nonce: request!.nonce, decision: 'approve' })

      expect(answer.json).toEqual({ status: 'OK' })
      expect(await session(id)).toMatchObject({ state: 'approved' })
    })
  },
)

/** Operations that never succeeded, or were never rejected: then the requests were not random enough. */
function unreached(answered: ReadonlyMap<string, ReadonlySet<number>>): string[] {
  return operations
    .map(({ name }) => name)
    .filter((name) => {
      const statuses = [...(answered.get(name) ?? [])]
      // Only the long run is long enough for all of it.
      if (!isLongRun) return statuses.length === 0
      return (
        !statuses.includes(200) ||
        !statuses.some((status) => status === 400 || status === 404) ||
        !statuses.includes(401)
      )
    })
    .filter((name) => !withoutFailure.has(name))
}

/** Expected log lines: the new database, revocations, callers without a key, what version 1.3 ignores, shortened information and unusable names. */
const expectedMessages =
  /just (been )?created|^revoked$|^no valid API key$|^version 1\.3 ignored members|^session information was shortened|^synchronization: some names or addresses|read as ISO-8859-1/

/** Their paths have no parameters, or they cannot succeed by chance. */
const withoutFailure = new Set([
  'getOrganization',
  'ping',
  'redeemSession',
  'sendEmailCode',
  'watchSessions',
  'watchApprovals',
  'getApprovalKeys',
  'redeemApproval',
  'startApprovalByPasskey',
  'approveByPasskey',
  'issueReplacement',
  'enrollHardwareToken',
  'replaceBypassCodes',
  'recognizeBrowser',
  'forgetBrowser',
  'renameDevice',
  'giveUpFactor',
  'startPasskeyRegistration',
  'registerPasskey',
  'renamePasskey',
  'deletePasskey',
  'giveUpPasskey',
  'startPasskeyAuthentication',
  'createPasskeySession',
])

let refilled = 0

async function refill(): Promise<void> {
  refilled += 1
  const join = async (username: string): Promise<string> => {
    const { json: user } = await running.call('POST', '/users', { body: newUser(username) })
    await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)
    return user.id
  }
  const [enrolled, newcomer] = [await join(`refill ${refilled}`), await join(`newcomer ${refilled}`)]
  const body = { serialNumber: `refill ${refilled}`, type: 'TOTP6', timeStep: 30, seed: '0'.repeat(40) }
  const { json: token } = await running.call('POST', '/hardware', { body })
  await running.call('PUT', `/users/${enrolled}/hardware/${token.id}`)
  await running.call('PUT', `/domains/${running.domain.id}/users/${enrolled}/token`)
  known.ids['userId']!.push(enrolled, newcomer)
  known.ids['hardwareTokenId']!.push(token.id)
}

const mangling: readonly ((head: string) => string)[] = [
  (head) => head.replace(' HTTP/1.1', ''),
  (head) => head.replace('HTTP/1.1', 'HTTP/3.1'),
  (head) => head.replace(/^\w+/, 'FETCH'),
  (head) => head.replace('\r\n', '\r\nBad Name: x\r\n'),
  (head) => head.replace('\r\n', '\r\nX: \u0000\r\n'),
  (head) => head.replace('\r\n', '\r\nContent-Length: 1\r\nContent-Length: 2\r\n'),
  (head) => head.replace('\r\n', '\r\nContent-Length: -1\r\n'),
  (head) => head.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n'),
  (head) => head.replace('Host: fuzz\r\n', ''),
  (head) => head.replace('\r\n', `\r\nX: ${'x'.repeat(17_000)}\r\n`),
  (head) => `\u0016\u0003\u0001\u0002${head}`,
  (head) => head.replaceAll('\r\n', '\r'),
]

function mangled(bytes: Buffer, how: number): Buffer {
  // Whether a response has content must not depend on how far the request was parsed.
  const text = bytes.toString('latin1').replace(/^HEAD/, 'GET')
  const end = text.indexOf('\r\n\r\n')
  return Buffer.from(mangling[how]!(`${text.slice(0, end)}\r\n\r\n`) + text.slice(end + 4), 'latin1')
}
