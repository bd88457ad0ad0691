import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import type { Endpoint } from '../../src/contract/endpoint.ts'
import { notFoundByParam } from '../../src/contract/errors.ts'
import { operations } from '../../src/contract/operations.ts'
import { examples } from '../../src/service/engine/openapi/examples.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { openService } from '../../src/service/service.ts'
import type { OpenedService } from '../../src/service/service.ts'
import { mainEngines, useEngine } from '../support/engines.ts'
import { transfer } from './features/approvals/approving.ts'
import { passByCode } from './features/browsers/known-browser.ts'
import { passkeyPage } from './features/passkeys/passkey-holder.ts'
import { activateDevice, createCall, createTenant, keysFor, newUser, startService } from './start-service.ts'
import type { Running, Tenant } from './start-service.ts'
import { inFullRun } from '../support/full-run.ts'

/** Creates one of each resource in an organization, with its id under the name of its path parameter. */
async function furnish(running: Running, tenant: Tenant, name: string) {
  const { call, domain } = tenant
  const create = async (method: string, path: string, body?: object) => (await call(method, path, { body })).json
  const user = await create('POST', '/users', newUser(`user of ${name}`))
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  const { json: passkey } = await passkeyPage({ ...running, ...tenant }, user).addPasskey()
  const token = await create('PUT', `/domains/${domain.id}/users/${user.id}/token`)
  await activateDevice(running.origin, running.clock, token.code)
  const hardware = await create('POST', '/hardware', {
    serialNumber: `serial of ${name}`,
    type: 'TOTP6',
    timeStep: 30,
    seed: '31'.repeat(20),
  })
  await call('PUT', `/users/${user.id}/hardware/${hardware.id}`)
  const otp = codeAt({ seed: '31'.repeat(20), digits: 6 }, stepAt(running.clock.now(), 30))
  await passByCode({ ...running, call, domain }, { user: { id: user.id }, otp }, { rememberDays: 1 })
  const [browser] = await create('POST', `/domains/${domain.id}/users/${user.id}/browsers/list`, {})
  const bypass = await create('POST', `/users/${user.id}/bypasscodes`, { usesAllowed: 5, expirationTime: 60 })
  const session = await create('POST', `/domains/${domain.id}/sessions`, { user: { id: user.id } })
  const approval = await create('POST', `/domains/${domain.id}/approvals`, {
    user: { id: user.id },
    ...transfer,
    title: `action of ${name}`,
  })
  const params: Record<string, string> = {
    userId: user.id,
    domainId: domain.id,
    sessionId: session.id,
    hardwareTokenId: hardware.id,
    bypassCodeId: bypass.id,
    browserId: browser.id,
    passkeyId: passkey.id,
    approvalId: approval.id,
  }
  return {
    ...tenant,
    user,
    params,
    words: [
      ...Object.values(params),
      user.username,
      `serial of ${name}`,
      `action of ${name}`,
      bypass.code,
      passkey.credentialId,
    ],
  }
}

type Furnished = Awaited<ReturnType<typeof furnish>>

const namesOf = ({ path }: Endpoint) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
const fill = ({ path }: Endpoint, params: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')

/** The request body of an operation; if it names a user, it is the caller's own. */
function bodyOf(name: string, { user }: Furnished): { body?: unknown } {
  if (name === 'createSession') return { body: { user: { id: user.id } } }
  const request = examples[name]?.request
  const aboutApprovals = ['createApproval', 'startApprovalByPasskey', 'approveByPasskey']
  if (aboutApprovals.includes(name)) return { body: { ...(request as object), user: { id: user.id } } }
  return request === undefined ? {} : { body: request }
}

/** Each operation with each of its parameters foreign in turn, and with all of them foreign. */
const foreign = operations.flatMap(({ name, endpoint }) => {
  const all = namesOf(endpoint)
  const singles = all.map((param) => [param])
  return (all.length > 1 ? [...singles, all] : singles).map((params) => ({
    name,
    endpoint,
    params,
    of: params.join(' and '),
  }))
})

describe.each(mainEngines)('two organizations on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string
  let ours: Furnished
  let theirs: Furnished
  let beside: OpenedService

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true, emailOtpEnabled: true })
    ours = await furnish(running, running, 'ours')
    theirs = await furnish(running, await createTenant(running.service, running.origin), 'theirs')
    beside = await openService(ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }))
  })
  afterAll(async () => {
    await beside.close()
    await running.close()
  })

  const tables = ['organization', 'apiKey', 'domain', 'user', 'membership', 'token', 'device', 'session'] as const
  const moreTables = [
    'codeGenerator',
    'hardwareToken',
    'bypassCode',
    'emailCode',
    'passkey',
    'approval',
    'approver',
  ] as const

  /** Everything that the other organization has. Our own may change. */
  async function dump(): Promise<string> {
    const rows: object[] = []
    for (const table of [...tables, ...moreTables]) {
      rows.push(...(await beside.ctx.store.db.selectFrom(table).selectAll().execute()))
    }
    const words = [theirs.organization.id, ...theirs.words]
    return rows
      .map((row) => JSON.stringify(row))
      .filter((row) => words.some((word) => row.includes(word)))
      .toSorted()
      .join('\n')
  }

  it.each(foreign)('$name with a foreign $of returns a not-found error', async ({ name, endpoint, params }) => {
    const before = await dump()
    const mixed = { ...ours.params, ...Object.fromEntries(params.map((param) => [param, theirs.params[param] ?? ''])) }

    const answer = await ours.call(endpoint.method, fill(endpoint, mixed), bodyOf(name, ours))

    const first = namesOf(endpoint).find((param) => params.includes(param)) ?? ''
    expect([answer.status, answer.code]).toEqual([404, notFoundByParam[first]])
    for (const word of theirs.words) expect(answer.text).not.toContain(word)
    expect(await dump()).toBe(before)
  })

  it('an organization cannot start sign-ins for users of another organization', async () => {
    const before = await dump()
    const path = `/domains/${ours.domain.id}/sessions`

    const answers = await Promise.all(
      [{ id: theirs.user.id }, { username: theirs.user.username }].map((user) =>
        ours.call('POST', path, { body: { user } }),
      ),
    )

    expect(answers.map(({ code }) => code)).toEqual(['api.error.notfound.user', 'api.error.notfound.user'])
    expect(await dump()).toBe(before)
  })

  it('an organization cannot ask users of another organization to approve, nor ask in their name', async () => {
    const before = await dump()
    const ask = (who: object) =>
      ours.call('POST', `/domains/${ours.domain.id}/approvals`, { body: { ...transfer, ...who } })
    const [own, foreignUser] = [{ id: ours.user.id }, { id: theirs.user.id }]

    const answers = [
      await ask({ user: foreignUser }),
      await ask({ user: { username: theirs.user.username } }),
      await ask({ approvers: [foreignUser], requestedBy: own.id }),
      await ask({ approvers: [own], requestedBy: foreignUser.id }),
      await ask({ user: own, requestedBy: foreignUser.id }),
    ]

    const [notFound, wrongRequester] = ['api.error.notfound.user', 'api.error.invalid.requestedby']
    expect(answers.map(({ code }) => code)).toEqual([notFound, notFound, notFound, wrongRequester, wrongRequester])
    expect(await dump()).toBe(before)
  })

  it('an organization lists its own approvals only', async () => {
    const answer = await ours.call('GET', `/domains/${ours.domain.id}/approvals`)

    expect(answer.json.approvals.map(({ id }: { id: string }) => id)).toContain(ours.params['approvalId'])
    for (const word of theirs.words) expect(answer.text).not.toContain(word)
  })

  it.each(['/users', '/hardware', '/organization'])(
    'an organization sees nothing of another organization at %s',
    async (path) => {
      const answer = await ours.call('GET', path)

      expect(answer.status).toBe(200)
      for (const word of [...theirs.words, theirs.organization.name]) expect(answer.text).not.toContain(word)
    },
  )

  it('an organization finds no user of another one by name, and can have a user with the same name', async () => {
    const { username } = theirs.user

    const lookup = await ours.call('GET', `/users?username=${encodeURIComponent(username)}`)
    const created = await ours.call('POST', '/users', { body: newUser(username) })
    await ours.call('DELETE', `/users/${created.json.id}`)

    expect([lookup.code, created.status]).toEqual(['api.error.notfound.user', 200])
    expect((await theirs.call('GET', `/users/${theirs.user.id}`)).json).toMatchObject({ username })
  })

  it('two organizations can have hardware tokens with the same serial number', async () => {
    const token = { serialNumber: 'serial of theirs', type: 'TOTP6', timeStep: 30, seed: '32'.repeat(20) }

    const answer = await ours.call('POST', '/hardware', { body: token })
    await ours.call('DELETE', `/hardware/${answer.json.id}`)

    expect(answer.status).toBe(200)
  })

  it('an organization cannot create an API key for a domain of another organization', async () => {
    const make = running.service.administration.createApiKey(ours.organization.id, {
      role: 'auth',
      domainId: theirs.domain.id,
    })

    await expect(make).rejects.toThrow(RangeError)
  })
})

describe('a key of role auth', () => {
  let running: Running
  let own: Furnished
  let call: Running['call']

  beforeAll(async () => {
    running = await startService({}, { bypassEnabled: true, emailOtpEnabled: true })
    own = await furnish(running, running, 'own')
    const { administration } = running.service
    call = createCall(running.origin, await administration.createApiKey(own.organization.id, { role: 'auth' }))
  })
  afterAll(() => running.close())

  const [allowed, forbidden] = [
    operations.filter(({ endpoint }) => endpoint.role === 'auth'),
    operations.filter(({ endpoint }) => endpoint.role !== 'auth'),
  ]

  it.each(forbidden)('an API key of role auth may not call $name', async ({ name, endpoint }) => {
    const snapshot = async () => [
      (await own.call('GET', `/users/${own.user.id}`)).text,
      (await own.call('GET', `/users/${own.user.id}/bypasscodes`)).text,
      (await own.call('GET', '/hardware')).text,
      (await own.call('GET', '/users')).text,
    ]
    const before = await snapshot()

    const answer = await call(endpoint.method, fill(endpoint, own.params), bodyOf(name, own))

    expect([answer.status, answer.code]).toEqual([403, 'api.error.forbidden'])
    expect(await snapshot()).toEqual(before)
  })

  inFullRun.each(allowed)('an API key of role auth may call $name', async ({ name, endpoint }) => {
    const abort = new AbortController()
    onTestFinished(() => abort.abort())

    // The headers are enough: one of the responses is an endless stream.
    const response = await fetch(`${running.origin}/api${fill(endpoint, own.params)}`, {
      method: endpoint.method,
      headers: { accept: 'application/vnd.service.v1+json; version=1.4', authorization: authorizationOf() },
      signal: abort.signal,
      ...('body' in bodyOf(name, own) && { body: JSON.stringify(bodyOf(name, own).body) }),
    })

    expect(response.status).not.toBe(403)
  })

  let key = ''
  beforeAll(async () => {
    key = await running.service.administration.createApiKey(own.organization.id, { role: 'auth' })
  })
  const authorizationOf = () => `Service key="${key}"`

  it('an API key of role auth never sees the value of a bypass code', async () => {
    const { json } = await own.call('POST', `/users/${own.user.id}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 5 },
    })

    const answers = await Promise.all(
      allowed
        .filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.media === undefined)
        .map(({ endpoint }) => call('GET', fill(endpoint, own.params))),
    )

    for (const { text } of answers) expect(text).not.toContain(json.code)
  })

  it('an API key of role auth gets the activation code to enroll a user who never had a factor', async () => {
    const user = (await own.call('POST', '/users', { body: newUser('never had one') })).json
    await own.call('PUT', `/domains/${own.domain.id}/users/${user.id}`)
    const path = `/domains/${own.domain.id}/users/${user.id}/token`

    const answers = [await call('PUT', path), await call('PUT', path), await call('GET', path)]

    const [first] = answers
    expect(first?.json).toEqual({ state: 'pending', code: expect.stringMatching(/^[a-z2-9]{10}$/) })
    expect(answers.map(({ json }) => json)).toEqual([first?.json, first?.json, first?.json])
  })

  inFullRun(
    'an API key of role auth neither gets nor creates an activation code for a user who had a factor',
    async () => {
      const { user } = await running.enroll('had one')
      const path = `/domains/${own.domain.id}/users/${user.id}/token`
      const active = [await call('PUT', path), await call('GET', path)]
      await own.call('DELETE', path)

      const refused = [await call('PUT', path)]
      const missing = await own.call('GET', path)
      const { code } = (await own.call('PUT', path)).json
      refused.push(await call('PUT', path), await call('GET', path))

      expect(active.map(({ json }) => json)).toEqual([{ state: 'active' }, { state: 'active' }])
      expect(missing.code).toBe('api.error.notfound.token')
      expect(refused.map((answer) => answer.code)).toEqual(refused.map(() => 'api.error.forbidden'))
      for (const { text } of refused) expect(text).not.toContain(code)
    },
  )
})

describe('a domain', () => {
  let running: Running
  let own: Furnished
  let outsider: Furnished['user']
  const keys: Partial<Record<'admin' | 'auth', Running['call']>> = {}

  beforeAll(async () => {
    running = await startService({}, { bypassEnabled: true, emailOtpEnabled: true })
    own = await furnish(running, running, 'own')
    const { administration } = running.service
    const other = await administration.createDomain(own.organization.id, { name: 'Other' })
    outsider = (await own.call('POST', '/users', { body: newUser('outsider') })).json
    await own.call('PUT', `/domains/${other.id}/users/${outsider.id}`)
    for (const role of ['admin', 'auth'] as const) {
      keys[role] = createCall(running.origin, await administration.createApiKey(own.organization.id, { role }))
    }
  })
  afterAll(() => running.close())

  const aboutUsers = operations.filter(({ endpoint }) => endpoint.path.includes(':userId'))
  const additions = aboutUsers.filter(({ endpoint }) => endpoint.since === '1.4')
  const byMembers = aboutUsers.filter(
    ({ name, endpoint }) => endpoint.path.includes(':domainId') && name !== 'addMember',
  )

  it.each(additions)('the domain is a parameter of $name, which acts for a user', ({ endpoint }) => {
    expect(endpoint.path).toMatch(/^\/domains\/:domainId\//)
  })

  it.each(
    (['admin', 'auth'] as const).flatMap((role) =>
      byMembers
        .filter(({ endpoint }) => role === 'admin' || endpoint.role === 'auth')
        .map((operation) => ({ ...operation, role })),
    ),
  )('a domain rejects $name by a key of role $role for a user of another domain', async ({ name, endpoint, role }) => {
    const snapshot = async () => (await own.call('GET', `/users/${outsider.id}`)).text
    const before = await snapshot()
    const { body } = bodyOf(name, own)

    const answer = await keys[role]!(endpoint.method, fill(endpoint, { ...own.params, userId: outsider.id }), { body })

    expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.user'])
    expect(await snapshot()).toBe(before)
  })
})

describe('a key for one domain', () => {
  let running: Running
  let own: Furnished
  let call: Running['call']
  let other: { id: string }
  let outsider: { id: string; username: string }

  beforeAll(async () => {
    running = await startService({}, { bypassEnabled: true, emailOtpEnabled: true })
    own = await furnish(running, running, 'own')
    const { administration } = running.service
    other = await administration.createDomain(own.organization.id, { name: 'Other', bypassEnabled: true })
    outsider = (await own.call('POST', '/users', { body: newUser('outsider') })).json
    for (const id of [outsider.id, own.user.id]) await own.call('PUT', `/domains/${other.id}/users/${id}`)
    const limited = { role: 'auth', domainId: own.domain.id } as const
    call = createCall(running.origin, await administration.createApiKey(own.organization.id, limited))
  })
  afterAll(() => running.close())

  const allowed = operations.filter(({ endpoint }) => endpoint.role === 'auth')

  it.each(allowed.filter(({ endpoint }) => endpoint.path.includes(':domainId')))(
    'an API key for one domain finds no other domain with $name',
    async ({ name, endpoint }) => {
      const answer = await call(
        endpoint.method,
        fill(endpoint, { ...own.params, domainId: other.id }),
        bodyOf(name, own),
      )

      expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.domain'])
    },
  )

  inFullRun.each(allowed.filter(({ endpoint }) => endpoint.path.includes(':userId')))(
    'an API key for one domain finds no user of another domain with $name',
    async ({ name, endpoint }) => {
      const answer = await call(
        endpoint.method,
        fill(endpoint, { ...own.params, userId: outsider.id }),
        bodyOf(name, own),
      )

      expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.user'])
    },
  )

  it('an API key for one domain finds and lists only its users, and does not see their other domains', async () => {
    const match = await call('GET', `/users?username=${own.user.username}`)
    const missing = await call('GET', `/users?username=${outsider.username}`)
    const list = await call('GET', '/users')
    const member = await call('GET', `/domains/${own.domain.id}/users/${own.user.id}`)

    expect([match.json.id, missing.code]).toEqual([own.user.id, 'api.error.notfound.user'])
    expect(list.json.map(({ id }: { id: string }) => id)).toEqual([own.user.id])
    for (const { json } of [match, member]) expect(json.domains).toEqual([own.domain.id])
  })

  it('an API key for one domain does not see resources that belong to no domain', async () => {
    const answers = [await call('GET', '/hardware'), await call('GET', `/hardware/${own.params.hardwareTokenId}`)]

    expect(answers.map(({ code }) => code)).toEqual(['api.error.forbidden', 'api.error.forbidden'])
  })

  it('an API key for one domain asks no user of another domain to approve', async () => {
    const ask = (who: object) => call('POST', `/domains/${own.domain.id}/approvals`, { body: { ...transfer, ...who } })

    const answers = [
      await ask({ user: { id: outsider.id } }),
      await ask({ approvers: [outsider.username], requestedBy: own.user.id }),
      await ask({ approvers: [{ id: own.user.id }], requestedBy: outsider.id }),
    ]

    expect(answers.map(({ code }) => code)).toEqual([
      'api.error.notfound.user',
      'api.error.notfound.user',
      'api.error.invalid.requestedby',
    ])
  })

  it('an API key for one domain works in its own domain', async () => {
    const answers = await Promise.all([
      call('GET', `/domains/${own.domain.id}`),
      call('POST', `/domains/${own.domain.id}/sessions`, { body: { user: { username: own.user.username } } }),
      call('GET', `/domains/${own.domain.id}/approvals/${own.params['approvalId']}`),
      call('GET', '/approval-keys'),
      call('GET', `/users/${own.user.id}`),
      call('GET', `/users/${own.user.id}/hardware`),
      call('GET', '/organization'),
      call('GET', '/ping'),
    ])

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('an API key for one domain has role auth, because users belong to the whole organization', async () => {
    const make = running.service.administration.createApiKey(own.organization.id, { domainId: own.domain.id })

    await expect(make).rejects.toThrow(TypeError)
  })
})
