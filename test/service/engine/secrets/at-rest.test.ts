import { createECDH, createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Secret } from 'otpauth'
import { destination, pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import type { Random } from '../../../../src/service/engine/base/random.ts'
import { run } from '../../../cli/admin/run-command.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import { otherThan } from '../../features/codes/code-holder.ts'
import { activateDevice, startService } from '../../start-service.ts'

let folder: string
/** Secrets by purpose. */
const secrets = new Map<string, string>()
/** The files on disk while the service runs and after it has closed, by name. */
const storedFiles = new Map<string, Buffer>()

const seed = (fill: number) => createHash('sha256').update(`seed ${fill}`).digest('hex').slice(0, 40)

/** Deterministic, so that a code of six digits is not found by chance now and then. */
function createChance(): Random {
  let count = 0
  return (size) => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, () =>
      createHash('sha256')
        .update(`chance ${(count += 1)}`)
        .digest(),
    )
    return Buffer.concat(blocks).subarray(0, size)
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-at-rest-'))
  const server = await startMailServer()
  try {
    await everything(server)
  } finally {
    await server.close()
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

function keep(when: string): void {
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name), 'latin1')
    // A duration has many digits, which now and then contain a code.
    storedFiles.set(`${name} ${when}`, Buffer.from(content.replace(/"seconds":[\d.e-]+/g, ''), 'latin1'))
  }
}

/** The keys of a push subscription, as a browser creates them. */
function createSubscriber() {
  const pair = createECDH('prime256v1')
  return { p256dh: pair.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
}

/** A full run of every operation that involves a secret. */
async function everything(server: Awaited<ReturnType<typeof startMailServer>>): Promise<void> {
  const database = join(folder, 'mfa.sqlite')
  const logger = pino(
    { level: 'trace', timestamp: false },
    destination({ dest: join(folder, 'service.log'), sync: true }),
  )
  const running = await startService(
    {
      database,
      logger,
      logRequests: true,
      random: createChance(),
      smtp: { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' },
      push: { agent: new Agent({ lookup: (_name, _options, done) => done(new Error('no way out'), '') }) },
    },
    { bypassEnabled: true, emailOtpEnabled: true, numberMatching: 'offered' },
    // The clock is deterministic too: codes depend on it, and a stored time could contain the digits of one.
    1_800_000_000,
  )
  const { call, clock, domain } = running
  secrets.set('API key', running.apiKey)
  const sessions = `/domains/${domain.id}/sessions`
  const signIn = async (userId: string, more: object) =>
    (await call('POST', sessions, { body: { user: { id: userId }, ...more } })).json.state as string

  // Enrollment, push, and codes of the device.
  const alice = await running.enroll('alice')
  secrets.set('seed of a device', Secret.fromBase32(alice.codeSecret).hex.toLowerCase())
  const session = await alice.ask({ numberMatching: true })
  const [request] = await alice.pending()
  const answer = { decision: 'approve', nonce: request!.nonce, number: session.number }
  expect((await alice.device.answer(request!.id, answer)).status).toBe(200)
  const offline = codeAt({ seed: Secret.fromBase32(alice.codeSecret).hex, digits: 6 }, stepAt(clock.now(), 30))
  secrets.set('code of a device', offline)
  expect(await signIn(alice.user.id, { otp: offline })).toBe('approved')

  // A passcode, and the push endpoint of its device.
  const passcode = 'Wanderdünen am Meer'
  const push = { endpoint: 'https://fcm.googleapis.com/fcm/send/where-it-goes', keys: createSubscriber() }
  secrets.set('passcode', passcode).set('endpoint', push.endpoint).set('secret of a subscription', push.keys.auth)
  const { id: vault } = await running.service.administration.createDomain(running.organization.id, {
    name: 'Vault',
    keyType: 'PASSCODE',
  })
  await call('PUT', `/domains/${vault}/users/${alice.user.id}`)
  const { code } = (await call('PUT', `/domains/${vault}/users/${alice.user.id}/token`)).json
  const locked = await activateDevice(running.origin, clock, code, { pin: passcode, push })
  await call('POST', `/domains/${vault}/sessions`, { body: { user: { id: alice.user.id } } })
  const [guarded] = await locked.pending()
  const approval = { decision: 'approve', nonce: guarded!.nonce, pin: passcode }
  expect((await locked.device.answer(guarded!.id, { ...approval, pin: 'Wanderdünen am See' })).status).toBe(400)
  expect((await locked.device.answer(guarded!.id, approval)).status).toBe(200)

  // A pending activation code, and a used one.
  const bob = (await call('POST', '/users', { body: { username: 'bob', name: 'Bob', email: 'bob@example.com' } })).json
  await call('PUT', `/domains/${domain.id}/users/${bob.id}`)
  secrets.set('activation code', (await call('PUT', `/domains/${domain.id}/users/${bob.id}/token`)).json.code)

  // Bypass codes: one used, one not.
  for (const name of ['bypass code', 'used bypass code']) {
    const creation = await call('POST', `/users/${bob.id}/bypasscodes`, {
      body: { usesAllowed: 2, expirationTime: 60 },
    })
    secrets.set(name, creation.json.code)
  }
  expect(await signIn(bob.id, { bypasscode: secrets.get('used bypass code') })).toBe('approved')

  // E-mailed codes, including a wrong one.
  await call('POST', `/domains/${domain.id}/users/${bob.id}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
  secrets.set('e-mailed code', server.mails.at(-1)!.code)
  expect(await signIn(bob.id, { otp: otherThan(server.mails.at(-1)!.code) })).toBe('denied')

  // Hardware tokens: one created over REST, one imported, one created by the command.
  secrets.set('seed of a token', seed(1))
  const token = await call('POST', '/hardware', {
    body: { serialNumber: 'S1', seed: seed(1), type: 'TOTP6', timeStep: 30 },
  })
  await call('PUT', `/users/${bob.id}/hardware/${token.json.id}`)
  secrets.set('code of a token', codeAt({ seed: seed(1), digits: 6 }, stepAt(clock.now(), 30)))
  expect(await signIn(bob.id, { otp: secrets.get('code of a token') })).toBe('approved')
  await commands(database)

  keep('while it runs')
  await running.close()
  keep('afterwards')
}

async function commands(database: string): Promise<void> {
  const tokens = mkdtempSync(join(tmpdir(), 'second-factor-tokens-'))
  const file = join(tokens, 'tokens.csv')
  secrets.set('imported seed', seed(2)).set('seed of the command', seed(3))
  writeFileSync(file, `serial,seed,type,step\nS2,${seed(2)},TOTP6,30\n`)
  const imported = await run('hardware', 'import', file, '--database', database, '--json')
  rmSync(tokens, { recursive: true })
  const creation = await run('hardware', 'create', 'S3', '--seed', seed(3), '--database', database, '--json')
  const bypass = await run('bypass', 'create', 'bob', '--database', database, '--json')
  expect([imported.code, creation.code, bypass.code]).toEqual([0, 0, 0])
  secrets.set('bypass code of the command', bypass.json.code)
}

/** Every encoding in which a secret could be stored. */
function formsOf(secret: string): Buffer[] {
  const bytes = [Buffer.from(secret), ...(/^[0-9a-f]{40}$/.test(secret) ? [Buffer.from(secret, 'hex')] : [])]
  const texts = bytes.flatMap((value) => [
    value.toString('hex'),
    value.toString('hex').toUpperCase(),
    value.toString('base64').replace(/=+$/, ''),
    value.toString('base64url'),
    new Secret({ buffer: Uint8Array.from(value).buffer }).base32,
  ])
  return [...bytes, ...texts.map((text) => Buffer.from(text))]
}

describe('a service, after a full run', () => {
  it('the service leaves no secret on the disk in any form: not in the database, its write-ahead log, or the logs', () => {
    const names = [...storedFiles].flatMap(([file, content]) =>
      [...secrets].flatMap(([name, secret]) =>
        formsOf(secret).some((form) => content.includes(form)) ? [`${name} in ${file}`] : [],
      ),
    )

    expect(names).toEqual([])
    expect(secrets.size).toBe(15)
    expect([...secrets.values()].every((secret) => secret.length >= 6)).toBe(true)
    expect([...storedFiles.keys()].sort()).toEqual([
      'mfa.sqlite afterwards',
      'mfa.sqlite while it runs',
      'mfa.sqlite-shm while it runs',
      'mfa.sqlite-wal while it runs',
      'mfa.sqlite.keys afterwards',
      'mfa.sqlite.keys while it runs',
      'service.log afterwards',
      'service.log while it runs',
    ])
  })

  it('the service logs once that the key file has to be backed up', () => {
    const log = storedFiles.get('service.log afterwards')!.toString()

    expect(log.split('Back up that file, apart from the database').length).toBe(2)
    expect(existsSync(join(folder, 'mfa.sqlite.keys'))).toBe(true)
  })
})
