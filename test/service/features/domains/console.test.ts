import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { defaultImage } from '../../../../src/service/features/domains/image.ts'
import { readAudit } from '../../../../src/service/engine/audit/read.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { createTenant } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'

describe.each(mainEngines)('domains in the console on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  type Administrator = Awaited<ReturnType<typeof administrator>>
  const owner = () => administrator(running, { role: 'owner' })
  const admin = () => administrator(running, { role: 'admin', domains: [running.domain.id] })
  const path = () => `/domains/${running.domain.id}`

  async function change(by: Administrator, body: object, version?: string) {
    const currentVersion = version ?? ((await by.call('GET', path())).json.version as string)
    return by.call('PUT', path(), { body, headers: { 'if-match': `"${currentVersion}"` } })
  }

  async function lastEntry(event: string) {
    const entries = []
    for await (const entry of readAudit(running.ctx.store.db, { event })) entries.push(entry)
    return entries.at(-1)
  }

  it('the console changes a domain once when several changes of one version arrive at once', async () => {
    const first = await owner()
    const { version } = (await first.call('GET', path())).json

    const answers = await Promise.all(
      [3, 4, 6, 7, 8, 9].map((maxAllowedRetries) => change(first, { maxAllowedRetries }, version)),
    )

    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412, 412, 412, 412, 412])
  })

  it('the console lists domains by name and shows each administrator their own', async () => {
    const all = (await (await owner()).call('GET', '/domains')).json
    const visibleDomains = (await (await admin()).call('GET', '/domains')).json

    expect(all.map(({ id }: { id: string }) => id)).toEqual([running.domain.id, otherDomain])
    expect(visibleDomains).toMatchObject([
      { id: running.domain.id, numberMatching: 'offered', phishingResistant: 'off', members: 0 },
    ])
  })

  it.each(['a\0b', 'a\nb', '\u001B[31m'])('the console takes no name %j of a domain or a client', async (name) => {
    const mine = await owner()
    const client = { name, kind: 'sign-in', redirectUris: ['https://wiki.example.com/callback'] }

    const refused = [
      await mine.call('POST', '/domains', { body: { name } }),
      await mine.call('POST', `${path()}/oidc-clients`, { body: client }),
    ]

    expect(refused.map(({ status }) => status)).toEqual([400, 400])
    expect(refused[0]?.text).toContain('must not contain control characters')
  })

  it('an owner can create domains in the console', async () => {
    const mine = await owner()

    const created = await mine.call('POST', '/domains', { body: { name: 'VPN', type: 'RADIUS' } })
    const duplicate = await mine.call('POST', '/domains', { body: { name: 'VPN' } })

    expect(created.json).toMatchObject({ name: 'VPN', type: 'RADIUS', requestTimeout: 90 })
    expect([duplicate.status, duplicate.code]).toEqual([409, 'api.error.conflict.state'])
    expect(await lastEntry('domain.created')).toMatchObject({ actor: { kind: 'administrator', id: mine.id } })
  })

  it('an administrator of a domain can change it in the console, which the audit trail records', async () => {
    const mine = await admin()

    const changed = await change(mine, { requestTimeout: 60, numberMatching: 'required' })

    expect(changed.json).toMatchObject({ requestTimeout: 60, numberMatching: 'required' })
    expect(await lastEntry('domain.changed')).toMatchObject({
      actor: { kind: 'administrator', id: mine.id },
      facts: { fields: 'requestTimeout,numberMatching' },
    })
  })

  it('a domain keeps the change that another administrator made meanwhile, and the error says what it was', async () => {
    const [first, second] = [await owner(), await admin()]
    const { version } = (await second.call('GET', path())).json
    await change(first, { emailOtpEnabled: true })

    const late = await change(second, { requestTimeout: 30 }, version)

    expect([late.status, late.code]).toEqual([412, 'api.error.precondition'])
    expect(late.json.errors[0].message).toContain('emailOtpEnabled')
    expect(late.json.errors[0].message).toContain(first.id)
    expect((await first.call('GET', path())).json).toMatchObject({ emailOtpEnabled: true })
  })

  it('the console does not change a domain without a version', async () => {
    const answer = await (await admin()).call('PUT', path(), { body: { requestTimeout: 30 } })

    expect([answer.status, answer.code]).toEqual([412, 'api.error.precondition'])
  })

  it('the console enforces the rules of the service for domains', async () => {
    const mine = await owner()
    const { json: vpn } = await mine.call('POST', '/domains', { body: { name: 'PAM hosts', type: 'PAM' } })

    const refused = await mine.call('PUT', `/domains/${vpn.id}`, {
      body: { phishingResistant: 'require' },
      headers: { 'if-match': `"${vpn.version}"` },
    })
    const wrong = await change(mine, { requestTimeout: 5 })

    expect([refused.status, refused.json.errors[0].message]).toEqual([409, expect.stringContaining('passkeys')])
    expect(wrong.status).toBe(400)
  })

  it('an administrator can set and remove the image of a domain in the console, and a file that is no PNG is refused', async () => {
    const mine = await admin()
    const png = Buffer.from(defaultImage().bytes).toString('base64')

    const set = await mine.call('PUT', `${path()}/image`, { body: { png } })
    const wrong = await mine.call('PUT', `${path()}/image`, { body: { png: Buffer.from('<svg>').toString('base64') } })
    const removed = await mine.call('DELETE', `${path()}/image`)

    expect([set.status, wrong.status, removed.status]).toEqual([200, 409, 200])
    expect(await lastEntry('domain.image_set')).toMatchObject({ actor: { kind: 'administrator', id: mine.id } })
  })

  it('the console shows the characters of an API key once', async () => {
    const mine = await owner()

    const { json: created } = await mine.call('POST', '/api-keys', {
      body: { role: 'auth', domain: running.domain.id },
    })
    const listed = await mine.call('GET', '/api-keys')
    const revoked = await mine.call('DELETE', `/api-keys/${created.id}`)

    expect(created.key).toMatch(/^[A-Za-z0-9]{64}$/)
    expect(listed.text).not.toContain(created.key)
    expect(listed.json.find(({ id }: { id: string }) => id === created.id)).toMatchObject({ domain: running.domain.id })
    expect(revoked.status).toBe(200)
    expect(await lastEntry('api_key.revoked')).toMatchObject({ facts: { apiKey: created.id } })
  })

  it('the console shows when an API key was last used, to the hour', async () => {
    const mine = await owner()
    const { json: created } = await mine.call('POST', '/api-keys', { body: { role: 'auth' } })
    const used = async () =>
      (await mine.call('GET', '/api-keys')).json.find(({ id }: { id: string }) => id === created.id)
    const read = () =>
      fetch(`${running.origin}/api/organization`, { headers: { authorization: `Service key=${created.key}` } })
    const never = (await used()).usedAt

    await read()
    const first = running.clock.now()
    await vi.waitFor(async () => expect((await used()).usedAt).toBe(first))
    running.clock.skip(1000)
    await read()
    await read()

    expect([never, (await used()).usedAt]).toEqual([null, first])
  })

  it('the console creates no API key for another organization’s domain, and none of role admin for one domain', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const mine = await owner()
    const create = (body: object) => mine.call('POST', '/api-keys', { body })

    expect((await create({ role: 'auth', domain: stranger.domain.id })).code).toBe('api.error.notfound.domain')
    expect((await create({ role: 'admin', domain: running.domain.id })).status).toBe(400)
  })

  it('the console shows an auditor of some domains only the API keys of these domains', async () => {
    const mine = await owner()
    await mine.call('POST', '/api-keys', { body: { role: 'auth', domain: otherDomain } })
    await mine.call('POST', '/api-keys', { body: { role: 'auth', domain: running.domain.id } })
    const auditor = await administrator(running, { role: 'auditor', domains: [running.domain.id] })

    const { json } = await auditor.call('GET', '/api-keys')

    expect(json.length).toBeGreaterThan(0)
    expect(new Set(json.map(({ domain }: { domain: string }) => domain))).toEqual(new Set([running.domain.id]))
  })
})
