import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { adminOperations } from '../../../../src/admin-contract/operations.ts'
import { AdminRole } from '../../../../src/contract/roles.ts'
import type { AdminAccess } from '../../../../src/contract/roles.ts'
import type { Endpoint } from '../../../../src/contract/endpoint.ts'
import { notFoundByParam } from '../../../../src/contract/errors.ts'
import { adminExamples } from '../../../../src/service/engine/openapi/admin-examples.ts'
import { addApiKey } from '../../../../src/service/features/domains/api-keys.ts'
import { revokeAdministrator } from '../../../../src/service/features/administrators/administration.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { createTenant, newUser } from '../../start-service.ts'
import type { Answer } from '../../start-service.ts'
import { administrator, callConsole, inviteAt, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

/** Whose things the ids of a path name, as seen from an administrator of one domain. */
type Owner = 'own domain' | 'other domain' | 'other organization' | 'own record'

/** The same table as in the contract, written a second time: who may read, and who may change. */
const mayRead: Readonly<Record<Exclude<AdminAccess['role'], 'none'>, readonly AdminRole[]>> = {
  any: ['owner', 'admin', 'helpdesk', 'auditor'],
  helpdesk: ['owner', 'admin', 'helpdesk', 'auditor'],
  auditor: ['owner', 'admin', 'auditor'],
  admin: ['owner', 'admin', 'auditor'],
  owner: ['owner', 'auditor'],
}
const mayChange: typeof mayRead = {
  any: ['owner', 'admin', 'helpdesk', 'auditor'],
  helpdesk: ['owner', 'admin', 'helpdesk'],
  auditor: [],
  admin: ['owner', 'admin'],
  owner: ['owner'],
}

/** Parameters of things that belong to a domain, so that other domains of the same organization are foreign. */
const ofDomain = ['domainId', 'userId', 'consentId', 'bulkJobId']

const namesOf = ({ path }: Endpoint) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const isChange = ({ method, admin }: Endpoint) => method !== 'GET' && admin?.reads !== true

const declared = adminOperations.map(({ name, endpoint }) => ({ name, endpoint, access: endpoint.admin }))
const protectedOnes = declared.flatMap(({ name, endpoint, access }) =>
  access === undefined || access.role === 'none' ? [] : [{ name, endpoint, access, role: access.role }],
)
const roles = AdminRole.options
const inEachRole = protectedOnes.flatMap((operation) => roles.map((as) => ({ ...operation, as })))

describe('each operation of the console', () => {
  it.each(declared)('the console operation $name declares who may call it', ({ endpoint, access }) => {
    expect(access).toBeDefined()
    expect(endpoint.path).toMatch(/^\/admin\//)
    expect(endpoint.since).toBe('1.4')
  })

  it.each(protectedOnes.filter(({ endpoint, role }) => isChange(endpoint) && role !== 'any'))(
    'the console operation $name changes something of others, so it needs a fresh pass',
    ({ access }) => {
      expect(access.fresh).toBe(true)
    },
  )

  it.each(declared.filter(({ access }) => access?.role === 'none'))(
    'the console operation $name works without a session, because it is for a sign-in',
    ({ name }) => {
      expect(name).toMatch(/Registration$|SignIn$/)
    },
  )
})

describe.each(mainEngines)('on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let params: Record<Owner, Record<string, string>>
  let signedIn: Record<AdminRole, Administrator>

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    const { id: otherDomain } = await running.service.administration.createDomain(running.organization.id, {
      name: 'Other domain',
    })
    const stranger = await createTenant(running.service, running.origin)
    signedIn = await inRoles()
    params = {
      'own domain': await furnish(running.organization.id, running.domain.id, running.call),
      'other domain': await furnish(running.organization.id, otherDomain, running.call),
      'other organization': await furnish(stranger.organization.id, stranger.domain.id, stranger.call),
      'own record': {},
    }
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address, so time passes; the sessions are as new as before.
    running.clock.skip(600)
    const now = running.clock.now()
    const { db } = running.ctx.store
    await db.updateTable('callerVerification').set({ settledAt: now }).execute()
    await db.updateTable('administratorSession').set({ createdAt: now, usedAt: now, passedAt: now }).execute()
    await db
      .updateTable('consent')
      .set({ expiresAt: now + 900 })
      .execute()
    await db
      .updateTable('administratorInvitation')
      .set({ createdAt: now, expiresAt: now + 1800 })
      .execute()
  })

  /** One of each thing that the path of an operation can name. */
  async function furnish(organizationId: string, domainId: string, call: Console['call']) {
    const { json: user } = await call('POST', '/users', { body: newUser(`user of ${domainId}`) })
    await call('PUT', `/domains/${domainId}/users/${user.id}`)
    const domains = [domainId]
    const { id: administratorId } = await administrator(running, { role: 'helpdesk', domains, organizationId })
    await inviteAt(running, { role: 'owner', organizationId })
    const invitation = await running.ctx.store.db
      .selectFrom('administratorInvitation')
      .select('id')
      .where('organizationId', '=', organizationId)
      .executeTakeFirstOrThrow()
    const consentId = user.id as string
    await running.ctx.store.db
      .insertInto('consent')
      .values({
        id: consentId,
        organizationId,
        operation: 'resetPerson',
        userId: user.id,
        parameters: '{}',
        domainIds: JSON.stringify([domainId]),
        digest: '',
        requestedBy: administratorId,
        because: 'test',
        state: 'pending',
        createdAt: running.clock.now(),
        expiresAt: running.clock.now() + 900,
      })
      .execute()
    return {
      consentId,
      domainId,
      userId: user.id as string,
      administratorId,
      invitationId: invitation.id,
      apiKeyId: (await addApiKey(running.ctx, organizationId, {})).id,
      passkeyId: '0'.repeat(40),
      hardwareTokenId: await freeToken(call),
      callerVerificationId: await verifiedCaller(organizationId, domainId, user.id),
      bulkJobId: await doneJob(organizationId, administratorId),
      oidcClientId: await oidcClient(domainId),
    }
  }

  async function freeToken(call: Console['call']): Promise<string> {
    const body = { serialNumber: randomBytes(8).toString('hex'), type: 'TOTP6', timeStep: 30, seed: '0'.repeat(40) }
    return (await call('POST', '/hardware', { body })).json.id
  }

  async function doneJob(organizationId: string, requestedBy: string): Promise<string> {
    const id = randomBytes(20).toString('hex')
    const fields = { organizationId, requestedBy, domainId: null, action: 'unlock', because: 'test' } as const
    const row = {
      id,
      ...fields,
      state: 'done' as const,
      people: 1,
      createdAt: 1,
      startedAt: 1,
      expiresAt: 4_000_000_000,
    }
    await running.ctx.store.db.insertInto('bulkJob').values(row).execute()
    return id
  }

  async function oidcClient(domainId: string): Promise<string> {
    const id = randomBytes(20).toString('hex')
    const lists = { redirectUris: '[]', postLogoutRedirectUris: '[]', resources: '[]', scopes: '[]' }
    const kind = { kind: 'sign-in', authentication: 'none', native: 0, refreshTokens: 0 } as const
    const none = { secretHash: null, entra: null, ciba: null, jwks: null, jwksUri: null }
    const row = { id, domainId, name: 'Wiki', ...kind, ...lists, ...none, createdAt: 1 }
    await running.ctx.store.db.insertInto('oidcClient').values(row).execute()
    return id
  }

  async function verifiedCaller(organizationId: string, domainId: string, userId: string): Promise<string> {
    const id = randomBytes(20).toString('hex')
    const times = { createdAt: 1, expiresAt: 1, settledAt: 1 }
    const owner = { organizationId, domainId, userId, deviceId: 'none', requestedBy: 'none' }
    const row = { id, ...owner, ...times, state: 'confirmed' as const, nonce: '', number: '10' }
    await running.ctx.store.db.insertInto('callerVerification').values(row).execute()
    return id
  }

  async function inRoles(): Promise<Record<AdminRole, Administrator>> {
    running.clock.skip(600)
    const domains = [running.domain.id]
    const entries = []
    for (const role of roles) {
      const limited = role === 'owner' ? {} : { domains }
      entries.push([role, await administrator(running, { role, ...limited })] as const)
    }
    return Object.fromEntries(entries) as Record<AdminRole, Administrator>
  }

  /** Calls an operation with ids of an owner. It may change what it names, so most calls come with a body that is wrong. */
  async function ask({ endpoint, name }: (typeof protectedOnes)[number], by: Administrator, target: Owner) {
    const ids = target === 'own record' ? { ...params['own domain'], administratorId: by.id } : params[target]
    const path = endpoint.path.replace(/^\/admin/, '').replace(/:(\w+)/g, (_, param: string) => ids[param] ?? '')
    const { request } = adminExamples[name] ?? {}
    return by.call(endpoint.method, path, { ...(request !== undefined && { body: request }) })
  }

  /** What decides about a call before it is handled; undefined where it reached its handler. */
  const refusalOf = ({ status, code }: Answer) =>
    status === 401 || status === 403 || (code?.startsWith('api.error.notfound.') ?? false) ? code : undefined

  describeInFullRun('an administrator who is signed out', () => {
    it.each(protectedOnes)('an administrator who is signed out cannot call $name', async ({ endpoint }) => {
      const path = endpoint.path.replace(/^\/admin/, '').replace(/:\w+/g, '0'.repeat(40))

      const answer = await callConsole(running, endpoint.method, path)

      expect([answer.status, answer.code]).toEqual([401, 'api.error.unauthorized'])
    })
  })

  describe('an administrator whose access was revoked', () => {
    it.each(protectedOnes)('an administrator whose access was revoked cannot call $name', async (operation) => {
      const revoked = await administrator(running, { role: 'owner' })
      await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id: revoked.id })

      const answer = await ask(operation, revoked, 'own domain')

      expect([answer.status, answer.code]).toEqual([401, 'api.error.unauthorized'])
    })
  })

  describe('an operation', () => {
    it.each(
      inEachRole.filter(({ endpoint, role, as }) => !(isChange(endpoint) ? mayChange : mayRead)[role].includes(as)),
    )('the console operation $name is forbidden for the role $as, whatever it names', async ({ as, ...operation }) => {
      const answers = await Promise.all(
        (['own domain', 'other domain', 'other organization'] as const).map((target) =>
          ask(operation, signedIn[as], target),
        ),
      )

      expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.forbidden'))
    })
  })

  const allowed = inEachRole.filter(({ endpoint, role, as }) =>
    (isChange(endpoint) ? mayChange : mayRead)[role].includes(as),
  )
  const withIds = allowed.filter(({ endpoint, access }) => access.scope !== 'self' && namesOf(endpoint).length > 0)

  describe('ids of another organization', () => {
    it.each(withIds)(
      'ids of another organization do not exist for $name in the role $as',
      async ({ as, ...operation }) => {
        const answer = await ask(operation, signedIn[as], 'other organization')

        const [first = ''] = namesOf(operation.endpoint)
        expect([answer.status, answer.code]).toEqual([404, notFoundByParam[first]])
      },
    )
  })

  describe('ids of another domain', () => {
    const limited = withIds.filter(
      ({ endpoint, as }) => as !== 'owner' && namesOf(endpoint).some((name) => ofDomain.includes(name)),
    )

    it.each(limited)('ids of another domain do not exist for $name in the role $as', async ({ as, ...operation }) => {
      const answer = await ask(operation, signedIn[as], 'other domain')

      const first = namesOf(operation.endpoint).find((name) => ofDomain.includes(name)) ?? ''
      expect([answer.status, answer.code]).toEqual([404, notFoundByParam[first]])
    })

    it('the access tests know every id that a console operation names', () => {
      const known = [
        'domainId',
        'userId',
        'administratorId',
        'invitationId',
        'passkeyId',
        'consentId',
        'callerVerificationId',
        'apiKeyId',
        'hardwareTokenId',
        'bulkJobId',
        'oidcClientId',
      ]

      const unknown = protectedOnes.flatMap(({ endpoint }) => namesOf(endpoint)).filter((name) => !known.includes(name))

      expect(unknown).toEqual([])
    })
  })

  describe("an administrator's own record", () => {
    const aboutPeople = allowed.filter(
      ({ endpoint, access }) =>
        isChange(endpoint) && access.scope !== 'self' && /:(administratorId|userId)/.test(endpoint.path),
    )

    it.each(aboutPeople)(
      'an administrator’s own record is closed to $name in the role $as',
      async ({ as, ...operation }) => {
        const domains = as === 'owner' ? [] : [running.domain.id]
        const user = params['own domain']['userId']!
        const self = await administrator(running, { role: as, domains, user })

        expect((await ask(operation, self, 'own record')).code).toBe('api.error.forbidden.own')
      },
    )
  })

  describe('a pass that is older than 5 minutes', () => {
    it.each(protectedOnes.filter(({ access }) => access.fresh))(
      'a pass that is older than 5 minutes is refused by $name',
      async (operation) => {
        const by = await administrator(running, { role: 'owner' })
        const passkeys = (await by.call('GET', '/passkeys')).json
        params['own domain']['passkeyId'] = passkeys[0].id
        running.clock.skip(300)

        const answer = await ask(operation, by, 'own domain')

        expect([answer.status, answer.code]).toEqual([403, 'api.error.forbidden.fresh'])
      },
    )

    inFullRun.each(protectedOnes.filter(({ access }) => !access.fresh))(
      'a pass that is older than 5 minutes is enough for $name',
      async (operation) => {
        const by = await administrator(running, { role: 'owner' })
        running.clock.skip(300)

        const answer = await ask(operation, by, 'own domain')

        expect(refusalOf(answer)).toBeUndefined()
      },
    )
  })
})
