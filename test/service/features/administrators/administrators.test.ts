import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { invitationLink } from '../../../../src/admin-contract/invitation-link.ts'
import { revokeAdministrator } from '../../../../src/service/features/administrators/administration.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { createTenant } from '../../start-service.ts'
import { administrator, callConsole, consoleBrowser, inviteAt, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

describe.each(mainEngines)('administrators on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const helpdesk = () => administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
  const invited = { name: 'New', email: 'new@example.com', role: 'auditor' }

  it('an administrator cannot be changed under an outdated version', async () => {
    const [mine, theirs, other] = [await owner(), await owner(), await helpdesk()]
    const change = (by: typeof mine) =>
      by.call('PUT', `/administrators/${other.id}`, { body: { role: 'auditor' }, headers: { 'if-match': '"1"' } })

    const answers = await Promise.all([change(mine), change(theirs)])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
    expect(answers.find(({ status }) => status === 412)?.json.errors[0].message).toContain('role auditor, version 2')
  })

  it('two owners who revoke each other at once leave one owner', async () => {
    const other = await createTenant(running.service, running.origin)
    const organizationId = other.organization.id
    const newOwner = () => administrator(running, { role: 'owner', organizationId })
    const [first, second] = [await newOwner(), await newOwner()]

    await Promise.all([
      first.call('DELETE', `/administrators/${second.id}`),
      second.call('DELETE', `/administrators/${first.id}`),
    ])

    const sessions = await Promise.all([first, second].map(({ call }) => call('GET', '/session')))
    expect(sessions.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
  })

  it('administrators are listed with their role, those with access first', async () => {
    const mine = await owner()
    const revoked = await helpdesk()
    await mine.call('DELETE', `/administrators/${revoked.id}`)

    const { json } = await mine.call('GET', '/administrators')

    expect(json.at(-1)).toMatchObject({ id: revoked.id, role: 'helpdesk', domains: [running.domain.id] })
    expect(json.at(-1).revokedAt).toBe(running.clock.now())
    expect(json.find(({ id }: { id: string }) => id === mine.id)).toMatchObject({ revokedAt: null, domains: [] })
  })

  it('an administrator is invited by an owner, with a link that carries the token in its fragment', async () => {
    const mine = await owner()

    const invitation = await mine.call('POST', '/invitations', { body: invited })
    const link = invitationLink('https://console.example/console', invitation.json.token)
    const registered = await consoleBrowser(running).register(new URL(link).hash.slice(1))

    expect(new URL(link).pathname).toBe('/console/invitation')
    expect(registered.json.administrator).toMatchObject({ name: 'New', role: 'auditor' })
  })

  it('administrators see open invitations without their tokens, and withdraw them', async () => {
    const mine = await owner()
    const { json: created } = await mine.call('POST', '/invitations', { body: invited })

    const listed = await mine.call('GET', '/invitations')
    const withdrawn = await mine.call('DELETE', `/invitations/${created.id}`)
    const late = await consoleBrowser(running).register(created.token)

    expect(listed.json[0].id).toBe(created.id)
    expect(listed.text).not.toContain(created.token)
    expect([withdrawn.status, late.code]).toEqual([200, 'api.error.notfound.invitation'])
  })

  it.each([
    ['helpdesk without domains', { role: 'helpdesk' }, 'api.error.invalid.domains'],
    ['admin without domains', { role: 'admin', domains: [] }, 'api.error.invalid.domains'],
    ['owner of a domain', { role: 'owner', domains: ['0'.repeat(40)] }, 'api.error.invalid.domains'],
    ['helpdesk of an unknown domain', { role: 'helpdesk', domains: ['0'.repeat(40)] }, 'api.error.notfound.domain'],
    ['unknown user', { user: '0'.repeat(40) }, 'api.error.notfound.user'],
  ])('an administrator cannot be invited as %s', async (_what, more, code) => {
    const { call } = await owner()

    expect((await call('POST', '/invitations', { body: { ...invited, ...more } })).code).toBe(code)
  })

  it('an administrator gets another role at once, even while signed in', async () => {
    const mine = await owner()
    const other = await owner()

    const changed = await mine.call('PUT', `/administrators/${other.id}`, {
      body: { role: 'helpdesk', domains: [running.domain.id] },
      headers: { 'if-match': '"1"' },
    })

    expect(changed.json).toMatchObject({ role: 'helpdesk', domains: [running.domain.id], version: 2 })
    expect((await other.call('POST', '/invitations', { body: invited })).code).toBe('api.error.forbidden')
  })

  it('an administrator cannot be changed without naming a version', async () => {
    const { call } = await owner()
    const { id } = await helpdesk()

    const changed = await call('PUT', `/administrators/${id}`, { body: { role: 'auditor' } })

    expect([changed.status, changed.code]).toEqual([412, 'api.error.precondition'])
  })

  it('an administrator loses access at once when it is revoked', async () => {
    const mine = await owner()
    const other = await helpdesk()
    const { json: options } = await callConsole(running, 'POST', '/sign-in/options')
    const response = other.authenticator.use(options, {}, other.authenticator.credentials[0])

    await mine.call('DELETE', `/administrators/${other.id}`)

    expect((await other.call('GET', '/session')).status).toBe(401)
    expect((await callConsole(running, 'POST', '/sign-in', { body: { response } })).status).toBe(400)
    expect((await mine.call('DELETE', `/administrators/${other.id}`)).code).toBe('api.error.conflict.state')
  })

  it('an administrator whose access is revoked loses the invitations that they made', async () => {
    const [mine, other] = [await owner(), await owner()]
    const { json } = await other.call('POST', '/invitations', { body: { ...invited, role: 'owner' } })

    await mine.call('DELETE', `/administrators/${other.id}`)

    expect((await consoleBrowser(running).register(json.token)).code).toBe('api.error.notfound.invitation')
  })

  it('an owner signs an administrator out of every browser', async () => {
    const [mine, other] = [await owner(), await helpdesk()]
    const sessions = await mine.call('GET', `/administrators/${other.id}/sessions`)

    const ended = await mine.call('DELETE', `/administrators/${other.id}/sessions`)

    expect(sessions.json).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{12}$/),
        createdAt: running.clock.now(),
        usedAt: running.clock.now(),
        passedAt: running.clock.now(),
      },
    ])
    expect([ended.status, (await other.call('GET', '/session')).status]).toEqual([200, 401])
  })

  inFullRun('all administrators can be revoked without a session, as at the command line', async () => {
    const { organization } = await createTenant(running.service, running.origin)
    const organizationId = organization.id
    const newOwner = () => administrator(running, { role: 'owner', organizationId })
    const owners = [await newOwner(), await newOwner()]

    for (const { id } of owners) await revokeAdministrator(running.ctx, { organizationId, id })
    const token = await inviteAt(running, { role: 'owner', organizationId })

    const sessions = await Promise.all(owners.map(({ call }) => call('GET', '/session')))
    expect(sessions.map(({ status }) => status)).toEqual([401, 401])
    expect((await consoleBrowser(running).register(token)).status).toBe(200)
  })
})
