import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import type { History } from '../../../../src/contract/device-answers.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { createDeviceCalls, random128 } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../codes/code-holder.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let folder: string
let database: string
let running: Running

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-history-'))
  database = join(folder, 'mfa.sqlite')
  running = await startService({ database })
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})

type Person = Awaited<ReturnType<Running['enroll']>>

const history = async ({ device }: Pick<Person, 'device'>, content: object = {}) =>
  read(await device.get(devicePaths.history, content))

async function answered(person: Person, answer: object, asking: object = {}): Promise<string> {
  const { id } = await person.ask({ challenge: random128(), ...asking })
  const [request] = await person.pending()
  await person.device.answer(id, { nonce: request!.nonce, ...answer })
  return id
}

/** The number of history entries of a device in the database. */
function rowsOf({ signer }: Person): number {
  const file = new BetterSqlite3(database, { readonly: true })
  const rows = file.prepare('select count(*) from device_history where device_id = ?').pluck().get(signer.id)
  file.close()
  return Number(rows)
}

/** The number of entries that the device reads so many seconds later, after a sweep. */
async function entriesLater({ signer }: Person, seconds: number): Promise<number> {
  const clock = createTestClock(running.clock.now() + seconds - sweepEvery)
  const later = await startService({ database, clock })
  try {
    await clock.advance(sweepEvery)
    const calls = createDeviceCalls(later.origin, signer)
    return (await history({ device: calls }, { iat: clock.now() })).json.entries.length
  } finally {
    await later.close()
  }
}

/** Seconds. */
const sweepEvery = 5 * 60

describe('the history of a device', () => {
  inFullRun('the history of a device lists what it answered, newest first, as the user saw it', async () => {
    const person = await running.enroll(unique())
    const ids = [
      await answered(person, { decision: 'deny' }, { attributes: [{ key: 'Browser', value: 'Firefox' }] }),
      await answered(person, { decision: 'approve', number: '1' }, { numberMatching: true }),
      await answered(person, { decision: 'approve' }, { ipAddress: '192.0.2.7' }),
      await answered(person, { decision: 'report' }),
    ]

    const { json } = await history(person)

    expect(json.more).toBe(false)
    expect(json.entries.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    expect(json.entries).toMatchObject([
      { state: 'denied', reason: 'reported' },
      { state: 'approved', ipAddress: '192.0.2.7' },
      { state: 'denied', reason: 'wrong_number' },
      { state: 'denied', reason: 'user_denied', attributes: [{ key: 'Browser', value: 'Firefox' }] },
    ])
    expect(json.entries[0]).toMatchObject({
      domain: { id: running.domain.id, name: 'Domain' },
      user: { username: person.user.username },
      createdAt: running.clock.now(),
      settledAt: running.clock.now(),
    })
    expect(JSON.stringify(json)).not.toMatch(/"(nonce|number)"/)
  })

  inFullRun('the history of a device omits requests that were not answered on it', async () => {
    const person = await running.enroll(unique())
    const { id } = await person.ask({ challenge: random128() })
    await running.call('DELETE', `${person.sessions}/${id}`)
    await person.ask({ otp: '000000' })
    await person.ask({ challenge: random128() })
    await running.clock.advance(91)

    expect((await history(person)).json).toEqual({ entries: [], more: false })
  })

  inFullRun('the history of a device lists an answer once, however often it was sent', async () => {
    const person = await running.enroll(unique())
    const { id } = await person.ask({ challenge: random128() })
    const [request] = await person.pending()
    for (let times = 0; times < 3; times += 1) {
      await person.device.answer(id, { nonce: request!.nonce, decision: 'deny' })
    }

    expect((await history(person)).json.entries.length).toBe(1)
  })

  inFullRun('the history of a device is read in pages of 50', async () => {
    const person = await running.enroll(unique())
    const ids: string[] = []
    for (let count = 0; count < 52; count += 1) ids.unshift(await answered(person, { decision: 'approve' }))

    const first: History = (await history(person)).json
    const second: History = (await history(person, { before: first.entries.at(-1)!.id })).json
    const third: History = (await history(person, { before: second.entries.at(-1)!.id })).json

    expect([first.more, second.more, third.more]).toEqual([true, false, false])
    expect([first, second, third].map(({ entries }) => entries.length)).toEqual([50, 2, 0])
    expect([...first.entries, ...second.entries].map(({ id }) => id)).toEqual(ids)
  })

  it('the history of a device cannot be read, or paged through, by another device', async () => {
    const [mine, other] = [await running.enroll(unique()), await running.enroll(unique())]
    await answered(mine, { decision: 'approve' })
    const otherRequestId = await answered(other, { decision: 'approve' })

    const own = await history(mine)
    const after = await history(mine, { before: otherRequestId })
    const asOther = await mine.device.get(devicePaths.history, {}, { sub: other.signer.id })

    expect(own.json.entries.length).toBe(1)
    expect(JSON.stringify(own.json)).not.toContain(otherRequestId)
    expect(after.json.entries).toEqual([])
    expect(asOther.status).toBe(401)
  })

  inFullRun('the history of a device is kept for 90 days, longer than the sessions, and then deleted', async () => {
    const person = await running.enroll(unique())
    await answered(person, { decision: 'approve' })
    const day = 86_400

    const entries = []
    for (const seconds of [2 * day, 90 * day - 1, 90 * day]) entries.push(await entriesLater(person, seconds))

    expect(entries).toEqual([1, 1, 0])
    expect(rowsOf(person)).toBe(0)
  })

  it('the history of a device is deleted with the device, and with the user', async () => {
    const [removed, deleted] = [await running.enroll(unique()), await running.enroll(unique())]
    for (const person of [removed, deleted]) await answered(person, { decision: 'approve' })

    await removed.device.remove()
    await running.call('DELETE', `/users/${deleted.user.id}`)

    expect([removed, deleted].map((person) => rowsOf(person))).toEqual([0, 0])
    expect((await history(removed)).code).toBe('api.error.device.revoked')
  })

  it('the history of a device rejects a malformed cursor', async () => {
    const person = await running.enroll(unique())

    expect((await history(person, { before: "' or 1=1 --" })).code).toBe('api.error.malformed')
  })
})
