import { createHash, createHmac } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../src/contract/device.ts'
import { createService } from '../../src/service/service.ts'
import { activationCodeText, bypassCodeText } from '../../src/service/engine/secrets/secrets.ts'
import { createCall, newUser, read, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { createDeviceCalls, createDeviceSigner, random128 } from '../support/device-signer.ts'

/** The attacker has a copy of the database, taken during a sign-in, and network access, but not the key file. */
let folder: string
let stolen: string
let running: Running
let secrets: { apiKey: string; bypass: string; activation: string; seed: string; offline: string; number: string }
let tables: Record<string, Record<string, unknown>[]>
let aliceId: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-thief-'))
  const database = join(folder, 'mfa.sqlite')
  running = await startService({ database })
  const { call, domain } = running
  const alice = await running.enroll('alice')
  aliceId = alice.user.id
  const seed = '5eed'.repeat(10)
  await call('POST', '/hardware', { body: { serialNumber: 'one', type: 'TOTP6', timeStep: 30, seed } })
  const { json: bypass } = await call('POST', `/users/${alice.user.id}/bypasscodes`, {
    body: { usesAllowed: 1, expirationTime: 60 },
  })
  const { json: bob } = await call('POST', '/users', { body: newUser('bob') })
  await call('PUT', `/domains/${domain.id}/users/${bob.id}`)
  const { json: token } = await call('PUT', `/domains/${domain.id}/users/${bob.id}/token`)
  const pushSession = await alice.ask({ numberMatching: true, challenge: random128() })
  secrets = {
    apiKey: running.apiKey,
    bypass: bypass.code,
    activation: token.code,
    seed,
    offline: alice.codeSecret,
    number: pushSession.number ?? '',
  }
  tables = steal(database)
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})

function steal(database: string): typeof tables {
  stolen = join(mkdtempSync(join(folder, 'stolen-')), 'copy.sqlite')
  for (const end of ['', '-wal']) if (existsSync(database + end)) copyFileSync(database + end, stolen + end)
  const db = new Database(stolen)
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  const rowsByTable = Object.fromEntries(names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  db.close()
  return rowsByTable as typeof tables
}

const cells = () =>
  Object.values(tables)
    .flat()
    .flatMap((row) => Object.values(row))

describe('a thief of the database', () => {
  it('a thief of the database finds sessions, users and keys, because the copy is complete', () => {
    expect(tables['session']).toHaveLength(1)
    expect(tables['user']).toHaveLength(2)
    expect(cells().length).toBeGreaterThan(50)
  })

  it('a thief of the database finds no secret that outlives a sign-in, in plain text or as a guessable hash', () => {
    const { number: _short, ...lasting } = secrets
    const forms = (secret: string) => [
      secret,
      secret.toUpperCase(),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret, 'hex').toString('base64'),
      createHash('sha1').update(secret).digest('hex'),
      createHash('md5').update(secret).digest('hex'),
    ]
    // Short codes can be guessed from their hash by trying them all. API keys cannot.
    const guessable = [
      secrets.bypass,
      bypassCodeText(aliceId, secrets.bypass),
      secrets.activation,
      activationCodeText(secrets.activation),
    ].flatMap((code) => [
      createHash('sha256').update(code).digest('hex'),
      createHash('sha256').update(code).digest('base64url'),
      createHmac('sha256', '').update(code).digest('base64url'),
    ])

    const texts = cells().map((cell) => (Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell)))
    const foundSecrets = [...Object.values(lasting).flatMap((secret) => forms(secret)), ...guessable].filter(
      (form) => form.length > 5 && texts.some((text) => text.includes(form)),
    )

    expect(foundSecrets).toEqual([])
  })

  it('a thief of the database cannot use the stored form of an API key as a key', async () => {
    const stored = (tables['api_key']?.[0]?.['hash'] ?? '') as string

    const answer = await createCall(running.origin, stored)('GET', '/users')

    expect(stored).toMatch(/^[0-9a-f]{64}$/)
    expect(answer.status).toBe(401)
  })

  it('a thief of the database can neither answer nor redeem a request, despite knowing its number, nonce and challenge', async () => {
    const [session] = tables['session'] ?? []
    const [device] = tables['device'] ?? []
    const { id, nonce, challenge, number } = session as Record<string, string>
    const service = (tables['service']?.[0]?.['id'] ?? '') as string
    const signer = await createDeviceSigner({ service, now: () => running.clock.now() })
    signer.id = device?.['id'] as string

    const answered = await read(
      await createDeviceCalls(running.origin, signer).answer(id!, { nonce, number, decision: 'approve' }),
    )
    const path = `/domains/${running.domain.id}/sessions/${id}`
    const redeemed = await createCall(running.origin, 'a'.repeat(64))('POST', `${path}/redeem`, { body: { challenge } })
    const inbox = await fetch(running.origin + devicePaths.requests, {
      headers: { authorization: `Device ${await signer.sign({ htm: 'GET', path: devicePaths.requests })}` },
    })

    expect(service).toMatch(/^[0-9a-f]{40}$/)
    expect(number).toBe(secrets.number)
    expect([answered.status, redeemed.status, inbox.status]).toEqual([401, 401, 401])
    expect((await running.call('GET', path)).json.state).toBe('pending')
  })

  it('a thief of the database cannot run the service on the copy', async () => {
    await expect(createService({ database: stolen })).rejects.toThrow(/key/i)
  })
})
