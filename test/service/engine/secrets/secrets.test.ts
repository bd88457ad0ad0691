import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { Secret } from 'otpauth'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createService, embedded } from '../../../../src/service/index.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { hardwareToken, holder, member } from '../../features/codes/code-holder.ts'
import { createCall, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { ring } from './key-holders.ts'

let folder: string
let database: string
let running: Running | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-secrets-'))
  database = join(folder, 'mfa.sqlite')
})
afterEach(async () => {
  await running?.close()
  running = undefined
  rmSync(folder, { recursive: true })
})

const start = async (options: object = {}) =>
  (running = await startService({ database, ...options }, { bypassEnabled: true, emailOtpEnabled: true }))

/** Changes the database in a way its service never would. */
function tamper(...statements: readonly string[]): void {
  const file = new BetterSqlite3(database)
  for (const statement of statements) file.exec(statement)
  file.close()
}

const swap = (table: string, column: string) =>
  `create temp table old as select id, ${column} as value from ${table};
  update ${table} set ${column} = (select value from old where old.id <> ${table}.id limit 1)`

describeInFullRun('a secret in a database that was tampered with', () => {
  it('a sealed secret is rejected in another row: a seed cannot be moved to another token', async () => {
    const { signIn, token } = await holder(await start())
    const other = await holder(running!)

    tamper(swap('code_generator', 'seed'))
    const [own, moved] = [await signIn({ otp: token.code() }), await other.signIn({ otp: token.code() })]

    expect([own, moved]).toMatchObject([
      { errors: [{ code: 'api.error.internal' }] },
      { errors: [{ code: 'api.error.internal' }] },
    ])
  })

  it('a sealed secret is rejected in another row: an activation code cannot be moved to another user', async () => {
    const people = [await member(await start()), await member(running!)]
    const path = ({ id }: { id: string }) => `/domains/${running!.domain.id}/users/${id}/token`
    const codes = []
    for (const person of people) codes.push((await running!.call('PUT', path(person))).json.code)

    // The lookup finds the row and can be moved; the code in it cannot.
    tamper(
      `create temp table old as select id, code_lookup as value from token; update token set code_lookup = null;
      update token set code_lookup = (select value from old where old.id <> token.id)`,
    )
    const previewed = await fetch(`${running!.origin}/device/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: codes[0] }),
    })

    expect(previewed.status).toBe(404)
  })

  it('a sealed secret with a changed byte causes an error that counts against no user, and does not affect others', async () => {
    const { signIn, token, id } = await holder(await start())
    const other = await holder(running!)

    tamper(
      `update code_generator set seed = substr(seed, 1, 20) || case substr(seed, 21, 1) when 'A' then 'B' else 'A' end ||
        substr(seed, 22) where id = '${token.id}'`,
    )
    const answers = [await signIn({ otp: token.code() }), await other.signIn({ otp: other.token.code() })]

    expect(answers).toMatchObject([{ errors: [{ code: 'api.error.internal' }] }, { state: 'approved' }])
    const file = new BetterSqlite3(database)
    const user = file.prepare('select code_failures from user where id = ?').get(id)
    file.close()
    expect(user).toEqual({ code_failures: 0 })
  })

  it('a sealed secret with a changed byte does not affect the other codes of its user', async () => {
    const { user, codeSecret } = await (await start()).enroll('both')
    const { call, clock, domain } = running!
    const token = await hardwareToken(running!)
    await call('PUT', `/users/${user.id}/hardware/${token.id}`)
    const ofDevice = codeAt({ seed: Secret.fromBase32(codeSecret).hex, digits: 6 }, stepAt(clock.now(), 30))

    tamper(`update code_generator set seed = seed || 'AAAA' where id = '${token.id}'`)
    const signIn = async (otp: string) =>
      (await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: user.id }, otp } })).json

    expect([await signIn(token.code()), await signIn(ofDevice)]).toMatchObject([
      { errors: [{ code: 'api.error.internal' }] },
      { state: 'approved', factor: 'otp' },
    ])
  })

  it('a sealed secret with a changed byte can still be deleted', async () => {
    const { path } = await member(await start())
    const { json } = await running!.call('POST', `${path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 60 },
    })

    tamper(`update bypass_code set code = code || 'A'`)
    const read = await running!.call('GET', `/bypasscodes/${json.id}`)
    const deleted = await running!.call('DELETE', `/bypasscodes/${json.id}`)

    expect([read.status, deleted.status]).toEqual([500, 200])
  })
})

describe('the keys of a database', () => {
  inFullRun(
    'the keys of a database are created in a file beside it, readable only by its owner, and found again',
    async () => {
      await start()
      const { signIn, token } = await holder(running!)
      const file = `${database}.keys`
      const text = readFileSync(file, 'utf8')

      const reopened = await createService({ database, clock: running!.clock })
      await reopened.close()

      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(text).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/)
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(await signIn({ otp: token.code() })).toMatchObject({ state: 'approved' })
    },
  )

  inFullRun('the keys of a database are mentioned once as worth a backup, and never logged themselves', async () => {
    await start()
    const secret = readFileSync(`${database}.keys`, 'utf8').trim().slice(3)

    const warnings = running!.logged.filter(({ message }) => message.includes('Back up that file'))

    expect(warnings).toHaveLength(1)
    expect(JSON.stringify(running!.logged)).not.toContain(secret)
  })

  inFullRun('configured keys of a database leave no key file behind', async () => {
    await start({ keys: ring('k1') })

    expect(existsSync(`${database}.keys`)).toBe(false)
  })

  inFullRun('a database whose keys are missing does not open, and no new keys are created', async () => {
    await (await start()).close()
    running = undefined
    rmSync(`${database}.keys`)

    await expect(createService({ database })).rejects.toThrow(/sealed with the key k1, and there is no key file/)

    expect(existsSync(`${database}.keys`)).toBe(false)
  })

  inFullRun.each([
    ['with a different name', 'k2', /sealed with the key "k1", which is missing/],
    [
      'with a different value',
      `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      /different key that is also called "k1"/,
    ],
  ])('keys %s prevent the database from opening, and change nothing', async (_name, keyOption, message) => {
    await (await start({ keys: ring('k1') })).close()
    running = undefined
    const before = contents()

    await expect(createService({ database, keys: keyOption === 'k2' ? ring('k2') : keyOption })).rejects.toThrow(
      message,
    )

    expect(contents()).toEqual(before)
  })

  it('the keys of a database at a URL must be configured, and the error says how', async () => {
    const opening = createService({ database: 'postgres://127.0.0.1:1/x' })

    await expect(opening).rejects.toThrow(/^createService: keys: .* Set the option, or MFA_KEYS, to id:base64/)
  })

  inFullRun('the keys of a database seal what an earlier version stored readable', async () => {
    const { id, path } = await holder(await start({ keys: ring('k1') }))
    const { json } = await running!.call('POST', `${path}/bypasscodes`, {
      body: { usesAllowed: 2, expirationTime: 60 },
    })
    const plainSeed = '3132333435363738393031323334353637383930'
    const { apiKey, clock, domain } = running!
    await running!.close()
    tamper(
      `update code_generator set seed = '${plainSeed}', last_step = -1`,
      `update bypass_code set code = '${json.code}', code_lookup = 'of an earlier kind'`,
      'delete from push_key',
      'delete from key_check',
    )

    const { origin } = await start({ keys: ring('k2'), clock })
    const signIn = (more: object) =>
      createCall(origin, apiKey)('POST', `/domains/${domain.id}/sessions`, { body: { user: { id }, ...more } })
    const sessions = [
      await signIn({ bypasscode: json.code }),
      await signIn({ otp: codeAt({ seed: plainSeed, digits: 6 }, stepAt(clock.now(), 30)) }),
    ]
    const file = new BetterSqlite3(database)
    const rows = file.prepare('select seed as sealed from code_generator union select code from bypass_code').all()
    file.close()

    expect(sessions.map(({ json: session }) => session.state)).toEqual(['approved', 'approved'])
    expect(rows).toEqual([{ sealed: expect.stringMatching(/^k2\./) }, { sealed: expect.stringMatching(/^k2\./) }])
  })
})

/** All rows of all tables. */
function contents(): unknown {
  const file = new BetterSqlite3(database)
  const tables = file.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all()
  const rows = tables.map((table) => [table, file.prepare(`select * from "${String(table)}"`).all()])
  file.close()
  return rows
}

describeInFullRun('an embedded service', () => {
  it('an embedded service takes its keys from the environment if none are configured', async () => {
    vi.stubEnv('MFA_KEYS', ring('k1'))
    const service = embedded({ database })
    await service.connect()
    await service.close()
    vi.unstubAllEnvs()

    const other = createService({ database, keys: ring('k2') })

    await expect(other).rejects.toThrow(/sealed with the key "k1"/)
    expect(existsSync(`${database}.keys`)).toBe(false)
  })
})
