import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { createAdministration } from '../../../../src/service/administration.ts'
import { createUser } from '../../../../src/service/features/users/operations.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { createCall, createTenant, newUser, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const create = async (username: string) => (await running.call('POST', '/users', { body: newUser(username) })).json

describe('a user', () => {
  it('a user is returned to callers of 1.3 without the members that 1.4 added', async () => {
    const user = await create('alice')

    const old = await running.call('GET', `/users/${user.id}`, { headers: { accept: '*/*' } })
    const current = await running.call('GET', `/users/${user.id}`)

    const basicView = { id: user.id, ...newUser('alice'), domains: [], hardware: '', bypasscodes: [] }
    expect(old.json).toEqual(basicView)
    expect(current.json).toEqual({
      ...basicView,
      factors: [],
      passkeys: [],
      everEnrolled: false,
      hadBypassCodes: false,
      importState: 'open',
      epoch: user.id,
    })
  })

  it('a user has for a key that is limited to a domain only the factors that count there', async () => {
    const { service, organization, domain, origin, ...mailing } = await startService({}, { emailOtpEnabled: true })
    onTestFinished(() => mailing.close())
    const { administration } = service
    const { user } = await mailing.enroll('alice')
    const other = await administration.createDomain(organization.id, { name: 'Other' })
    await mailing.call('PUT', `/domains/${other.id}/users/${user.id}`)
    const factorsFor = async (domainId: string) => {
      const key = await administration.createApiKey(organization.id, { role: 'auth', domainId })
      const call = createCall(origin, key)
      const paths = [`/users/${user.id}`, `/users?username=${user.username}`, `/domains/${domainId}/users/${user.id}`]
      const views = await Promise.all(paths.map(async (path) => (await call('GET', path)).json))
      return new Set(views.map(({ domains, factors }) => `${domains} ${factors}`))
    }

    expect(await factorsFor(domain.id)).toEqual(new Set([`${domain.id} push,otp,email`]))
    expect(await factorsFor(other.id)).toEqual(new Set([`${other.id} `]))
  })

  it('a user has in a domain only the factors that count there, also for a key of all domains', async () => {
    const { service, organization, domain, ...mailing } = await startService({}, { emailOtpEnabled: true })
    onTestFinished(() => mailing.close())
    const { user } = await mailing.enroll('alice')
    const other = await service.administration.createDomain(organization.id, { name: 'Other' })
    await mailing.call('PUT', `/domains/${other.id}/users/${user.id}`)
    const factorsIn = async (domainId: string) => {
      const { json: one } = await mailing.call('GET', `/domains/${domainId}/users/${user.id}`)
      const { json: all } = await mailing.call('GET', `/domains/${domainId}/users`)
      return new Set([one, ...all].map(({ domains, factors }) => `${domains} ${factors}`))
    }

    expect(await factorsIn(domain.id)).toEqual(new Set([`${domain.id},${other.id} push,otp,email`]))
    expect(await factorsIn(other.id)).toEqual(new Set([`${domain.id},${other.id} `]))
    expect((await mailing.call('GET', `/users/${user.id}`)).json.factors).toEqual(['push', 'otp', 'email'])
  })

  it('a user has a unique username, even when many requests create it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => running.call('POST', '/users', { body: newUser('wanted') })),
    )

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.code === 'api.error.conflict.username')).toHaveLength(15)
  })

  it('a user is found by the exact bytes of the username, where a plus sign is not a space', async () => {
    const user = await create('Bob+work é')

    const match = await running.call('GET', `/users?username=Bob+work%20${encodeURIComponent('é')}`)
    const otherCase = await running.call('GET', `/users?username=bob+work%20${encodeURIComponent('é')}`)
    const otherForm = await running.call(
      'GET',
      `/users?username=Bob+work%20${encodeURIComponent('é'.normalize('NFD'))}`,
    )

    expect(match.json.id).toBe(user.id)
    expect([otherCase.code, otherForm.code]).toEqual(['api.error.notfound.user', 'api.error.notfound.user'])
  })

  it.each([
    ['username', ''],
    ['username', 'x'.repeat(129)],
    ['username', 'a\u0000b'],
    ['name', ''],
    ['name', 7],
    ['email', 'nobody'],
  ])('a user cannot have the %s %j', async (field, value) => {
    const answer = await running.call('POST', '/users', { body: { ...newUser('wrong'), [field]: value } })

    expect([answer.status, answer.code]).toEqual([400, `api.error.invalid.${field}`])
  })

  it('a user can have a username of 128 characters from any Unicode plane', async () => {
    const answer = await running.call('POST', '/users', { body: { ...newUser('x'), username: '😀'.repeat(128) } })

    expect(answer.status).toBe(200)
  })

  it('the name and e-mail address of a user can be changed, but not the username', async () => {
    const user = await create('carol')

    const body = { name: 'New', email: 'new@example.com', username: 'carol' }
    const changed = await running.call('PUT', `/users/${user.id}`, { body })
    const renamed = await running.call('PUT', `/users/${user.id}`, { body: { username: 'other' } })
    const untouched = await running.call('PUT', `/users/${user.id}`, { body: {} })

    expect(changed.json).toMatchObject(body)
    expect([renamed.status, renamed.code]).toEqual([400, 'api.error.invalid.username'])
    expect(untouched.json).toEqual(changed.json)
  })

  it('a user is gone after deletion, and the username is free', async () => {
    const user = await create('dave')

    await running.call('DELETE', `/users/${user.id}`)

    expect((await running.call('GET', `/users/${user.id}`)).code).toBe('api.error.notfound.user')
    expect((await running.call('DELETE', `/users/${user.id}`)).code).toBe('api.error.notfound.user')
    expect((await running.call('POST', '/users', { body: newUser('dave') })).status).toBe(200)
  })
})

describe('the users of an organization', () => {
  inFullRun('users are listed 100 per page in order of creation, with links to the neighboring pages', async () => {
    const tenant = await createTenant(running.service, running.origin)
    for (let count = 0; count < 201; count += 1) {
      await tenant.call('POST', '/users', { body: newUser(`user ${count}`) })
    }

    const pages = await Promise.all(
      ['', '?page=2', '?page=3', '?page=4'].map((query) => tenant.call('GET', `/users${query}`)),
    )

    expect(pages.map((page) => page.json.length)).toEqual([100, 100, 1, 0])
    expect(pages.flatMap((page) => page.json.map((user: { username: string }) => user.username))).toEqual(
      Array.from({ length: 201 }, (_, index) => `user ${index}`),
    )
    expect(pages[0]?.headers.get('link')).toBe('</api/users?page=1>; rel="first", </api/users?page=2>; rel="next"')
    expect(pages[1]?.headers.get('link')).toContain('</api/users?page=1>; rel="prev"')
    expect(pages[2]?.headers.get('link')).not.toContain('next')
  })

  it.each(['0', '-1', 'x', '1.5', '%20', '99999999999'])('the list of users has no page %j', async (page) => {
    const answer = await running.call('GET', `/users?page=${page}`)

    expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.page'])
  })
})

describe('another organization', () => {
  it('another organization does not find our users, domains, tokens and sessions', async () => {
    const { user, ask, sessions } = await running.enroll('ours')
    const session = await ask()
    const other = await createTenant(running.service, running.origin)
    const domain = `/domains/${running.domain.id}`
    const own = `/domains/${other.domain.id}`

    const answers = await Promise.all([
      other.call('GET', `/users/${user.id}`),
      other.call('PUT', `/users/${user.id}`, { body: { name: 'x' } }),
      other.call('DELETE', `/users/${user.id}`),
      other.call('GET', '/users?username=ours'),
      other.call('GET', domain),
      other.call('GET', `${domain}/users`),
      other.call('PUT', `${own}/users/${user.id}`),
      other.call('PUT', `${domain}/users/${user.id}/token`),
      other.call('DELETE', `${domain}/users/${user.id}/token`),
      other.call('POST', `${domain}/sessions`, { body: { user: { id: user.id } } }),
      other.call('POST', `${own}/sessions`, { body: { user: { id: user.id } } }),
      other.call('GET', `${sessions}/${session.id}`),
      other.call('GET', `${own}/sessions/${session.id}`),
      other.call('DELETE', `${own}/sessions/${session.id}`),
    ])

    expect(answers.map((answer) => [answer.status, answer.code?.replace('api.error.notfound.', '')])).toEqual([
      [404, 'user'],
      [404, 'user'],
      [404, 'user'],
      [404, 'user'],
      [404, 'domain'],
      [404, 'domain'],
      [404, 'user'],
      [404, 'domain'],
      [404, 'domain'],
      [404, 'domain'],
      [404, 'user'],
      [404, 'domain'],
      [404, 'session'],
      [404, 'session'],
    ])
  })

  it('another organization can have a user with the same username', async () => {
    await create('everywhere')
    const other = await createTenant(running.service, running.origin)

    const answer = await other.call('POST', '/users', { body: newUser('everywhere') })

    expect(answer.status).toBe(200)
  })
})

describe('a domain', () => {
  const path = () => `/domains/${running.domain.id}`

  it('reading a domain returns its rules', async () => {
    const answer = await running.call('GET', path())

    expect(answer.json).toEqual({
      id: running.domain.id,
      name: 'Domain',
      type: 'WEB',
      keyType: 'NONE',
      maxAllowedRetries: 5,
      requestTimeout: 90,
      activationCodeExpiration: 7,
      requestPollingEnabled: true,
      bypassEnabled: true,
      emailOtpEnabled: false,
      numberMatching: 'offered',
      phishingResistant: 'off',
      synchronizationVersion: 0,
    })
  })

  it('a domain contains each added user once, and no others', async () => {
    const tenant = await createTenant(running.service, running.origin)
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) => (await tenant.call('POST', '/users', { body: newUser(name) })).json),
    )
    const users = `/domains/${tenant.domain.id}/users`

    await tenant.call('PUT', `${users}/${first.id}`)
    const repeated = await tenant.call('PUT', `${users}/${first.id}`)
    const member = await tenant.call('GET', `${users}/${first.id}`)
    const stranger = await tenant.call('GET', `${users}/${second.id}`)
    const list = await tenant.call('GET', users)

    expect([repeated.status, repeated.text]).toEqual([200, ''])
    expect(member.json.domains).toEqual([tenant.domain.id])
    expect(stranger.code).toBe('api.error.notfound.user')
    expect(list.json).toEqual([member.json])
  })

  it('a domain removes a member once', async () => {
    const user = await create('leaving')
    await running.call('PUT', `${path()}/users/${user.id}`)

    const first = await running.call('DELETE', `${path()}/users/${user.id}`)
    const second = await running.call('DELETE', `${path()}/users/${user.id}`)

    expect(first.status).toBe(200)
    expect(second.code).toBe('api.error.notfound.user')
    expect((await running.call('GET', `/users/${user.id}`)).json.domains).toEqual([])
  })

  it('a domain rejects a user who does not exist', async () => {
    const answer = await running.call('PUT', `${path()}/users/${unknownId}`)

    expect(answer.code).toBe('api.error.notfound.user')
  })
})

describe('a user who is created in a domain', () => {
  it('a user is not created in a domain if the membership cannot be stored', async () => {
    const node = await openService(ServiceOptions.parse({ database: ':memory:' }))
    const administration = createAdministration(node.ctx)
    const { id } = await administration.createOrganization('ACME')
    const domain = await administration.createDomain(id, { name: 'Intranet' })
    const caller = { ...node.ctx, organizationId: id, role: 'admin', limitedTo: null, version: '1.4' } as const

    const creating = createUser(
      { ...newUser('alice'), provision: false, language: undefined, timeZone: undefined },
      caller,
      unknownId,
    )
    await expect(creating).rejects.toThrow('FOREIGN KEY')
    const alice = await createUser(
      { ...newUser('alice'), provision: false, language: undefined, timeZone: undefined },
      caller,
      domain.id,
    )

    expect(alice.domains).toEqual([domain.id])
    await node.close()
  })
})
