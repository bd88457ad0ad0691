import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Decrypter } from 'age-encryption'
import { HOTP, Secret, TOTP, URI } from 'otpauth'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createDatabase, run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import { createCall, newUser, startService } from '../service/start-service.ts'
import { random128 } from '../support/device-signer.ts'
import { blocksOf, shell } from '../support/page-commands.ts'
import { numberOn } from '../support/web-app.ts'
import { useEngine } from '../support/engines.ts'
import { startExample } from './start-example.ts'

it('the database of embedded() is served by a separate service, as docs/leaving.md says', async () => {
  const before = await startExample('minimal.js')
  const account = await before.passSecondStep(await signedIn(before))
  await before.stop()
  const database = `${before.folder}/mfa.sqlite`

  const [domain] = (await run('domain', 'list', '--database', database, '--json')).json
  const { key } = (
    await run('apikey', 'create', '--role', 'auth', '--domain', domain.id, '--database', database, '--json')
  ).json
  const service = await serve(database)
  onTestFinished(async () => {
    await service.stop()
  })
  const after = await startExample('hosted-service.js', {
    MFA_BASE_URL: `${service.origin}/api`,
    MFA_AUTHENTICATOR_URL: service.origin,
    MFA_API_KEY: key,
    MFA_DOMAIN_ID: domain.id,
  })
  const browser = await signedIn(after)

  expect((await browser.visit('/mfa')).text).toContain('id="number"')
  expect(account).toBeDefined()
})

describe('from SQLite to PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })

  it('users of a separate service stay signed in when its database is moved as docs/leaving.md says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-leaving-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { apiKey, domainId } = await createDatabase(folder)
    const service = await serve(join(folder, 'mfa.sqlite'))
    const example = await startExample('hosted-service.js', {
      MFA_BASE_URL: `${service.origin}/api`,
      MFA_AUTHENTICATOR_URL: service.origin,
      MFA_API_KEY: apiKey,
      MFA_DOMAIN_ID: domainId,
    })
    const before = await signedIn(example)
    const account = await example.passSecondStep(before, '/', service.origin)
    await service.stop()
    const [moveIt = '', startIt = '', goBack = ''] = blocksAbout('From SQLite to PostgreSQL', await newDatabase())

    const moved = await shell(folder, moveIt).ended
    const refused = await shell(folder, 'npx second-factor user list --database mfa.sqlite').ended
    const { port } = new URL(service.origin)
    const served = shell(folder, startIt.replace('serve', `serve --port ${port}`))
    await served.printed(/listens on/)
    const signedInStill = await before.visit('/')
    const after = await signedIn(example)
    await example.answer(account, 'approve', numberOn(await after.visit('/mfa')))
    await after.submit('/mfa/complete')
    const signedInAgain = await after.visit('/')
    await served.stop()
    const restored = await shell(folder, goBack.replace('--revocations service.log', '--yes')).ended

    expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('nothing opens the file any more')])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was moved to postgres://')])
    expect([signedInStill.text, signedInAgain.text]).toEqual([
      expect.stringContaining('Hello'),
      expect.stringContaining('Hello'),
    ])
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('Restored')])
  })
})

describe('exporting', () => {
  it('an app that a user has set up shows the right codes at another service, once its seed was exported as docs/leaving.md says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-exporting-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { apiKey, domainId } = await createDatabase(folder)
    const service = await serve(join(folder, 'mfa.sqlite'))
    onTestFinished(async () => {
      await service.stop()
    })
    const call = createCall(service.origin, apiKey)
    const { json: alice } = await call('POST', '/users', { body: newUser('alice') })
    await call('PUT', `/domains/${domainId}/users/${alice.id}`)
    const app = new TOTP({ secret: new Secret({ size: 32 }), algorithm: 'SHA256', digits: 8, period: 60 })
    const seed = app.secret.hex
    const body = { seed, algorithm: 'SHA256', digits: 8, period: 60, otp: app.generate(), first: true }
    const enrolled = await call('POST', `/domains/${domainId}/users/${alice.id}/hardware`, { body })
    const [exportIt = ''] = blocksAbout('Exporting')

    const { code, stdout } = await shell(folder, exportIt).ended
    const decrypter = new Decrypter()
    decrypter.addPassphrase(readFileSync(join(folder, 'passphrase.txt'), 'utf8').trimEnd())
    const line = JSON.parse(await decrypter.decrypt(readFileSync(join(folder, 'factors.age')), 'text'))
    const moved = URI.parse(line.otpauth)

    expect([enrolled.status, code, stdout]).toEqual([200, 0, expect.stringContaining('Told by mail')])
    expect(Object.keys(line)).toEqual(['username', 'name', 'email', 'otpauth'])
    expect(await signsInElsewhere(moved)).toBe('approved')
    const { findings, entries } = (await run('audit', 'verify', '--database', join(folder, 'mfa.sqlite'), '--json'))
      .json
    expect([findings, entries > 0]).toEqual([[], true])
  })
})

/** The state of a sign-in with a code of the app at another service, which has a token with this seed. */
async function signsInElsewhere(app: TOTP | HOTP): Promise<string> {
  if (app instanceof HOTP) throw new TypeError('not time-based')
  const { call, domain, clock, close } = await startService()
  onTestFinished(close)
  const { json: user } = await call('POST', '/users', { body: newUser('alice') })
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  const { algorithm, digits, period, secret } = app
  const body = { serialNumber: 'moved', seed: secret.hex, algorithm, digits, period }
  const { json: token } = await call('POST', '/hardware', { body })
  await call('PUT', `/users/${user.id}/hardware/${token.id}`)
  const otp = app.generate({ timestamp: clock.now() * 1000 })
  const signIn = { user: { id: user.id }, otp, challenge: random128() }
  return (await call('POST', `/domains/${domain.id}/sessions`, { body: signIn })).json.state
}

/** The commands of a section of docs/leaving.md, with this address. */
const blocksAbout = (heading: string, address = '') =>
  blocksOf('docs/leaving.md', heading).map((block) =>
    block.replaceAll('postgres://mfa:password@db.example/mfa', address),
  )

async function signedIn(example: Awaited<ReturnType<typeof startExample>>) {
  const browser = example.browser()
  await example.signIn(browser, 'alice')
  return browser
}
