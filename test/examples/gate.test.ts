import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { startService } from '../support/running-service.ts'
import { people, numberOn } from '../support/web-app.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { startExample } from './start-example.ts'

const gateKey = 'k'.repeat(32)
const proxyHeaders = { 'x-gate-key': gateKey, 'x-remote-user': 'alice' }

async function startGate(more: NodeJS.ProcessEnv = {}) {
  const service = await startService()
  const { code } = await service.enroll('alice')
  await service.addUser('bob')
  const gate = await startExample('gate.js', {
    MFA_BASE_URL: `${service.url}/api`,
    MFA_API_KEY: service.apiKey,
    MFA_DOMAIN_ID: service.domainId,
    MFA_AUTHENTICATOR_URL: service.url,
    PUBLIC_URL: 'http://localhost',
    GATE_KEY: gateKey,
    SESSION_SECRET: 's'.repeat(32),
    ...more,
  })
  const { device, answer } = people(service.url, systemClock)
  const account = await device.activate(service.url, code, { name: 'Phone' })
  return { url: gate.url, approve: (number: string) => answer(account, 'approve', number) }
}

describe('examples/gate.js', () => {
  it('the gate says 204 after the second step, and only to the proxy, for the user who passed', async () => {
    const { url, approve } = await startGate()
    const browser = createBrowser(url)
    const check = async (headers: Record<string, string>) => (await browser.send('GET', '/gate/check', headers)).status

    const before = await check(proxyHeaders)
    const page = await browser.open('/mfa', proxyHeaders)
    await approve(numberOn(page.status === 200 ? page : await browser.open('/mfa', proxyHeaders)))
    const completed = await browser.submit('/mfa/complete', {}, proxyHeaders)
    const after = await check(proxyHeaders)

    expect([before, completed.status, after]).toEqual([403, 303, 204])
    expect(await check({ 'x-remote-user': 'alice' })).toBe(403)
    expect(await check({ 'x-remote-user': 'alice', 'x-gate-key': 'K'.repeat(32) })).toBe(403)
    expect(await check({ 'x-gate-key': gateKey })).toBe(401)
    expect(await check({ ...proxyHeaders, 'x-remote-user': 'bob' })).toBe(403)
  })

  inFullRun('the gate says that the second step has not ended when its session could not be removed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-gate-'))
    const sessions = join(folder, 'sessions.sqlite')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { url, approve } = await startGate({ SESSIONS: sessions })
    const browser = createBrowser(url)
    const page = await browser.open('/mfa', proxyHeaders)
    await approve(numberOn(page.status === 200 ? page : await browser.open('/mfa', proxyHeaders)))
    await browser.submit('/mfa/complete', {}, proxyHeaders)
    const database = new Database(sessions)
    database.exec("create trigger broken before delete on session begin select raise(abort, 'broken'); end")

    const failed = await browser.submit('/gate/logout', {}, proxyHeaders)
    database.exec('drop trigger broken')
    database.close()
    const ended = await browser.submit('/gate/logout', {}, proxyHeaders)

    expect([failed.status, failed.text]).toEqual([500, 'Your second step has not ended. Try again.'])
    expect([ended.status, ended.text]).toEqual([200, 'Your second step has ended.'])
  })

  it('the gate believes no other address than that of the proxy', async () => {
    const { url } = await startGate({ PROXY_ADDRESS: '192.0.2.1' })
    const browser = createBrowser(url)

    expect(await browser.send('GET', '/', proxyHeaders)).toMatchObject({ status: 403, text: 'Only the proxy may ask.' })
  })

  inFullRun('the gate listens on the address that the proxies connect to', async () => {
    const { url } = await startGate()

    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect((await createBrowser(url).send('GET', '/gate/check', proxyHeaders)).status).toBe(403)
  })

  it('the gate lets people without a factor set one up, unless that is turned off', async () => {
    const bob = { ...proxyHeaders, 'x-remote-user': 'bob' }
    const pageOf = async (more: NodeJS.ProcessEnv) => createBrowser((await startGate(more)).url).open('/mfa', bob)

    const [on, off] = [await pageOf({}), await pageOf({ SELF_ENROLLMENT: 'off' })]

    const typed = 'Type the activation code that your administrator gave you'
    expect([on, off].map(({ text }) => text.includes(typed))).toEqual([false, true])
    expect([on, off].map(({ text }) => /#code=|class="code"|enroll\/app/.test(text))).toEqual([true, false])
  })

  inFullRun('the gate does not start with a short key, or a setting that it does not know', async () => {
    await expect(startGate({ GATE_KEY: 'short' })).rejects.toThrow('GATE_KEY is missing or too short')
    await expect(startGate({ SELF_ENROLLMENT: 'false' })).rejects.toThrow('neither "on" nor "off"')
  })
})
