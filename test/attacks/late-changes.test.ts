import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'

import type { TransactionBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { notFoundByParam } from '../../src/contract/errors.ts'
import { consentDigest } from '../../src/service/features/administrators/rules.ts'
import { consoleAddress } from '../../src/service/engine/front/console-address.ts'
import { hashSecret, newSecret } from '../../src/service/engine/base/secret.ts'
import { subjectOf } from '../../src/service/features/administrators/consent-subject.ts'
import { createConsoleRest } from '../../src/service/routes/console-rest.ts'
import { consoleCookie } from '../../src/service/features/administrators/cookie.ts'
import { adminExamples } from '../../src/service/engine/openapi/admin-examples.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { insertHardwareToken } from '../../src/service/features/hardware/statements.ts'
import type { Database, Queryable } from '../../src/service/engine/database/schema/schema.ts'
import type { Rest } from '../../src/service/engine/http/rest.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { createWatchedClock, v14, wideLimits } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'

/*
 * An administrator may hold the body of a request back, or be slow, or wait for a lock. So whatever allows a change is read in
 * the transaction of the change. Here each request is held between the moment when it was accepted and its transaction.
 */

const origin = 'https://console.example'
const clock = createWatchedClock()

let db: Queryable
let rest: Rest
let close: () => Promise<void>
/** Runs before the next transaction begins. */
let beforeTransaction: (() => Promise<unknown>) | undefined

beforeAll(async () => {
  const options = ServiceOptions.parse({ database: ':memory:', clock, limits: wideLimits })
  const opened = await openService(options)
  close = () => opened.close()
  db = opened.ctx.store.db
  const store = { ...opened.ctx.store, db: heldBack(db) }
  const ctx = { ...opened.ctx, store, authenticatorUrl: 'https://mfa.example/authenticator' }
  rest = createConsoleRest(ctx, {
    vendor: { scheme: 'Service', mediaType: 'service' },
    address: consoleAddress(origin),
  })
})
afterAll(() => close())

/** The same database, whose next transaction waits for `beforeTransaction`. */
function heldBack(database: Queryable): Queryable {
  const hold = (builder: TransactionBuilder<Database>): TransactionBuilder<Database> => {
    const execute = builder.execute.bind(builder)
    const setIsolationLevel = builder.setIsolationLevel.bind(builder)
    return Object.assign(builder, {
      execute: async (change: Parameters<typeof execute>[0]) => {
        const callback = beforeTransaction
        beforeTransaction = undefined
        await callback?.()
        return execute(change)
      },
      setIsolationLevel: (level: Parameters<typeof setIsolationLevel>[0]) => hold(setIsolationLevel(level)),
    })
  }
  return new Proxy(database, {
    get(target, key) {
      if (key === 'transaction') return () => hold(target.transaction())
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

type Furnished = Awaited<ReturnType<typeof furnish>>

const newId = () => randomBytes(20).toString('hex')
const namesOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Operations that answer without a change, although they are no `GET`: they begin a ceremony, or draw. */
const changesNothing = ['startConfirmation', 'startAdminPasskey', 'drawQrCode']

/** Every operation that changes something for an administrator who has signed in. */
const changes = adminOperations.flatMap(({ name, endpoint }) => {
  const { method, path, admin } = endpoint
  if (method === 'GET' || !admin || admin.role === 'none' || changesNothing.includes(name)) return []
  const role = admin.role === 'any' ? 'helpdesk' : admin.role
  return [{ name, endpoint, method, path, admin, role, params: namesOf(path) }]
})
type Change = (typeof changes)[number]

/** An organization with one domain, one administrator, and one of each thing that an operation can name. */
async function furnish({ role, name, endpoint }: Change, consented: boolean) {
  const now = clock.now()
  const secret = newSecret((length) => randomBytes(length))
  const [organizationId, domainId, userId, deviceId] = [newId(), newId(), newId(), newId()]
  const [id, administratorId] = [newId(), newId()]
  const ids = { domainId, userId, administratorId, consentId: newId(), passkeyId: newId(), apiKeyId: newId() }
  const more = { invitationId: newId(), hardwareTokenId: newId(), bulkJobId: newId(), oidcClientId: newId() }
  await db.insertInto('organization').values({ id: organizationId, name: organizationId, createdAt: now }).execute()
  await addDomain(organizationId, domainId)
  await db
    .insertInto('user')
    .values({
      id: userId,
      organizationId,
      username: userId,
      nameKey: userId,
      name: '',
      email: 'person@example.com',
      everEnrolled: 1,
      createdAt: now,
    })
    .execute()
  await db.insertInto('membership').values({ domainId, userId }).execute()
  for (const [adminId, adminRole] of [[id, role] as const, [administratorId, 'admin'] as const]) {
    const row = {
      id: adminId,
      organizationId,
      role: adminRole,
      name: 'Ada',
      email: `${adminId}@example.com`,
      userId: null,
    }
    await db
      .insertInto('administrator')
      .values({ ...row, userHandle: adminId, createdAt: now })
      .execute()
    if (adminRole !== 'owner')
      await db.insertInto('administratorDomain').values({ administratorId: adminId, domainId }).execute()
  }
  const times = { createdAt: now, usedAt: now, passedAt: now }
  await db
    .insertInto('administratorSession')
    .values({ hash: hashSecret(secret), administratorId: id, ...times })
    .execute()
  const tokenId = newId()
  const codes = { code: null, codeLookup: null, codeExpiresAt: null }
  await db
    .insertInto('token')
    .values({ id: tokenId, domainId, userId, state: 'active', ...codes, createdAt: now })
    .execute()
  await db
    .insertInto('device')
    .values({
      id: deviceId,
      tokenId,
      domainId,
      userId,
      name: '',
      keyX: '',
      keyY: '',
      createdAt: now,
      push: null,
    })
    .execute()
  const consentFields = { organizationId, userId, because: 'other' as const, createdAt: now, expiresAt: now + 900 }
  const pending = { parameters: '{}', domainIds: JSON.stringify([domainId]), digest: '', operation: 'resetPerson' }
  await db
    .insertInto('consent')
    .values({ ...consentFields, ...pending, id: ids.consentId, requestedBy: administratorId, state: 'pending' })
    .execute()
  if (consented) {
    const exampleBody = endpoint.body?.parse(adminExamples[name]?.request) as Record<string, unknown>
    const subject = await subjectOf(db, endpoint, { ...exampleBody, ...ids, ...more }, now)
    const { operation, because } = subject
    const consentScope = {
      parameters: JSON.stringify(subject.parameters),
      domainIds: JSON.stringify(subject.domainIds),
    }
    const decided = {
      requestedBy: id,
      state: 'given',
      decidedBy: administratorId,
      digest: consentDigest(subject),
    } as const
    await db
      .insertInto('consent')
      .values({ ...consentFields, ...consentScope, ...decided, operation, because, id: newId() })
      .execute()
  }
  if (!consented) await insertCall({ organizationId, domainId, userId, deviceId, requestedBy: id }, 'confirmed')
  await db
    .insertInto('administratorInvitation')
    .values({
      id: more.invitationId,
      tokenHash: newId(),
      organizationId,
      name: '',
      email: 'b@example.com',
      role: 'owner',
      domainIds: '[]',
      userId: null,
      invitedBy: null,
      createdAt: now,
      expiresAt: now + 900,
    })
    .execute()
  await db
    .insertInto('apiKey')
    .values({ id: ids.apiKeyId, organizationId, hash: newId(), role: 'auth', domainId, createdAt: now })
    .execute()
  await db
    .insertInto('oidcClient')
    .values({
      id: more.oidcClientId,
      domainId,
      name: 'Wiki',
      kind: 'sign-in',
      authentication: 'client_secret_basic',
      secretHash: newId(),
      native: 0,
      redirectUris: '["https://wiki.example.com/callback"]',
      postLogoutRedirectUris: '[]',
      scopes: '[]',
      jwks: null,
      jwksUri: null,
      resources: '[]',
      refreshTokens: 0,
      createdAt: now,
    })
    .execute()
  const token = { id: more.hardwareTokenId, organizationId, alias: '', serialNumber: more.hardwareTokenId }
  await insertHardwareToken(db, { ...token, seed: '', algorithm: 'SHA1', digits: 6, period: 30, createdAt: now })
  const job = {
    id: more.bulkJobId,
    organizationId,
    requestedBy: id,
    action: 'enrollment_mail',
    domainId,
    because: 'other',
  } as const
  await db
    .insertInto('bulkJob')
    .values({ ...job, state: 'prepared', people: 1, createdAt: now, expiresAt: now + 900 })
    .execute()
  const cookie = consoleCookie(origin).write(secret).split(';', 1)[0] ?? ''
  return { ...ids, ...more, organizationId, deviceId, id, cookie }
}

async function addDomain(organizationId: string, id: string): Promise<void> {
  await db
    .insertInto('domain')
    .values({
      id,
      organizationId,
      name: id,
      type: 'WEB',
      keyType: 'NONE',
      maxAllowedRetries: 5,
      requestTimeout: 90,
      activationCodeExpiration: 7,
      requestPollingEnabled: 0,
      bypassEnabled: 1,
      emailOtpEnabled: 0,
      numberMatching: 'off',
      createdAt: clock.now(),
    })
    .execute()
}

async function insertCall(
  callIds: Record<'organizationId' | 'domainId' | 'userId' | 'deviceId' | 'requestedBy', string>,
  state: 'confirmed' | 'denied',
): Promise<void> {
  const now = clock.now()
  const times = { createdAt: now, expiresAt: now, settledAt: now }
  await db
    .insertInto('callerVerification')
    .values({ ...callIds, ...times, id: newId(), state, nonce: '', number: '10' })
    .execute()
}

let requests = 0

async function ask(method: string, url: string, cookie: string, body?: object | string) {
  requests += 1
  const answer = await rest({
    method,
    url,
    path: url.replace(/\?.*/, ''),
    headers: {
      host: 'console.example',
      origin,
      accept: v14,
      cookie,
      'if-match': '"1"',
      ...(typeof body === 'string' && { 'content-type': 'text/csv' }),
    },
    // Ceremonies are limited by address.
    address: `10.${requests >> 16}.${(requests >> 8) & 255}.${requests & 255}`,
    requestId: undefined,
    reader: Object.assign(new EventEmitter(), {
      destroyed: false,
      closed: false,
      writableFinished: false,
      statusCode: 200,
    }),
    disconnected: () => false,
    read: () => Promise.resolve(body && JSON.stringify(body)),
    stream: () => Readable.from([Buffer.from(typeof body === 'string' ? body : '')]),
  })
  const text = String(answer.body)
  const json = (text === '' ? {} : JSON.parse(text)) as { errors?: { code: string }[] }
  return { status: answer.status, code: json.errors?.[0]?.code, json }
}

/** What an operation is given: its example, or an answer of a passkey. */
async function inputOf({ name }: Change, furnished: Furnished): Promise<object | string | undefined> {
  const { request } = adminExamples[name] ?? {}
  if (name === 'startBulkJob') return { people: 1 }
  if (!['confirmAdmin', 'addAdminPasskey', 'deleteAdminPasskey'].includes(name))
    return request as object | string | undefined
  const authenticator = createAuthenticator({ origin })
  const options = async (path: string) => (await ask('POST', path, furnished.cookie)).json as never
  const passkeyBody = { response: authenticator.make(await options('/admin/passkeys/options')), name: 'Laptop' }
  if (name === 'addAdminPasskey') return passkeyBody
  const added = await ask('POST', '/admin/passkeys', furnished.cookie, passkeyBody)
  furnished.passkeyId = (added.json as { id: string }).id
  return name === 'deleteAdminPasskey'
    ? undefined
    : { response: authenticator.use(await options('/admin/confirmation/options')) }
}

interface Precondition {
  readonly title: string
  readonly concerns: (change: Change) => boolean
  readonly change: (furnished: Furnished) => Promise<unknown>
  readonly code: string | ((change: Change) => string | undefined)
  /** Whether a consent is what the help desk has, in place of a verified caller. */
  readonly consented?: true
}

const session = (furnished: Furnished) => ({ administratorId: furnished.id })
const isAboutPerson = ({ params }: Change) => params.includes('userId')
const isGuarded = ({ admin }: Change) => admin.guarded === true
const limited = (change: Change) => change.params.find((name) => ['domainId', 'userId', 'consentId'].includes(name))

const preconditions: readonly Precondition[] = [
  {
    title: 'its session has ended',
    concerns: () => true,
    change: (furnished) =>
      db
        .deleteFrom('administratorSession')
        .where((is) => is.and(session(furnished)))
        .execute(),
    code: 'api.error.unauthorized',
  },
  {
    title: 'its access was revoked',
    concerns: () => true,
    change: (furnished) =>
      db.updateTable('administrator').set({ revokedAt: 1 }).where('id', '=', furnished.id).execute(),
    code: 'api.error.unauthorized',
  },
  {
    title: 'its role was lowered',
    concerns: ({ admin }) => admin.role !== 'any' && !admin.reads,
    change: (furnished) =>
      db.updateTable('administrator').set({ role: 'auditor' }).where('id', '=', furnished.id).execute(),
    code: 'api.error.forbidden',
  },
  {
    title: 'its pass is too old',
    concerns: ({ admin }) => admin.fresh === true,
    change: (furnished) =>
      db
        .updateTable('administratorSession')
        .set({ passedAt: clock.now() - 301 })
        .where((is) => is.and(session(furnished)))
        .execute(),
    code: 'api.error.forbidden.fresh',
  },
  {
    title: 'the domain was taken away',
    concerns: (change) => change.role !== 'owner' && limited(change) !== undefined,
    change: (furnished) =>
      db
        .deleteFrom('administratorDomain')
        .where((is) => is.and(session(furnished)))
        .execute(),
    code: (change) => notFoundByParam[limited(change) ?? ''],
  },
  {
    title: 'the person has joined a domain of others',
    concerns: (change) => change.admin.everywhere === true && isAboutPerson(change),
    async change({ organizationId, userId }) {
      const domainId = newId()
      await addDomain(organizationId, domainId)
      await db.insertInto('membership').values({ domainId, userId }).execute()
    },
    code: 'api.error.forbidden.elsewhere',
  },
  {
    title: 'the organization has a domain of others',
    concerns: (change) => change.admin.everywhere === true && !isAboutPerson(change),
    change: ({ organizationId }) => addDomain(organizationId, newId()),
    code: 'api.error.forbidden.elsewhere',
  },
  {
    title: 'the person is the administrator',
    concerns: isAboutPerson,
    change: ({ id, userId }) => db.updateTable('administrator').set({ userId }).where('id', '=', id).execute(),
    code: 'api.error.forbidden.own',
  },
  {
    title: 'the person has answered No to the help desk',
    concerns: (change) => change.role === 'helpdesk' && isAboutPerson(change),
    change: (furnished) => insertCall({ ...pickCall(furnished), requestedBy: furnished.administratorId }, 'denied'),
    code: 'api.error.forbidden.blocked',
  },
  {
    title: 'the verification of the caller has expired',
    concerns: isGuarded,
    change: ({ id }) =>
      db
        .updateTable('callerVerification')
        .set({ settledAt: clock.now() - 601 })
        .where('requestedBy', '=', id)
        .execute(),
    code: 'api.error.forbidden.guarded',
  },
  {
    title: 'the device that verified the caller was revoked',
    concerns: isGuarded,
    change: ({ deviceId }) => db.updateTable('device').set({ revokedAt: 1 }).where('id', '=', deviceId).execute(),
    code: 'api.error.forbidden.guarded',
  },
  {
    title: 'the consent was used up',
    consented: true,
    concerns: isGuarded,
    change: ({ id }) => db.updateTable('consent').set({ state: 'used' }).where('requestedBy', '=', id).execute(),
    code: 'api.error.forbidden.guarded',
  },
]

const pickCall = ({ organizationId, domainId, userId, deviceId }: Furnished) => ({
  organizationId,
  domainId,
  userId,
  deviceId,
})

/** Asks for a change. @param meanwhile Happens after the request was accepted. */
async function askLate(change: Change, furnished: Furnished, meanwhile: () => Promise<unknown>) {
  const input = await inputOf(change, furnished)
  const url = change.path.replace(
    /:(\w+)/g,
    (_, name: string) => (furnished as unknown as Record<string, string>)[name] ?? '',
  )
  beforeTransaction = meanwhile
  const query = change.name === 'importStock' ? '?because=other&dryRun=true' : ''
  const answer = await ask(change.method, `${url}${query}`, furnished.cookie, input)
  // Otherwise the request was answered before its transaction, and the test would say nothing.
  expect(beforeTransaction).toBeUndefined()
  return answer
}

const entriesOf = ({ organizationId }: Furnished) =>
  db.selectFrom('audit').select('event').where('organizationId', '=', organizationId).execute()

const cases = changes.flatMap((change) =>
  preconditions.filter(({ concerns }) => concerns(change)).map((precondition) => ({ ...change, precondition })),
)

describe('an administrator whose request waits', () => {
  inFullRun.each(changes)(
    'an administrator whose request waits may call $name as long as nothing has changed',
    async (change) => {
      const furnished = await furnish(change, false)

      const { code } = await askLate(change, furnished, () => Promise.resolve())

      const refusals = cases
        .filter(({ name }) => name === change.name)
        .map(({ precondition: { code: refusal } }) => refusal)
      expect(refusals.map((refusal) => (typeof refusal === 'string' ? refusal : refusal(change)))).not.toContain(code)
    },
  )

  it.each(changes.filter(isGuarded))(
    'an administrator whose request waits uses up a consent by calling $name, unless that fails',
    async (change) => {
      const furnished = await furnish(change, true)

      const { status } = await askLate(change, furnished, () => Promise.resolve())

      const { state } = await db
        .selectFrom('consent')
        .select('state')
        .where('requestedBy', '=', furnished.id)
        .executeTakeFirstOrThrow()
      expect(state).toBe(status === 200 ? 'used' : 'given')
    },
  )

  it.each(cases)(
    'an administrator whose request waits cannot call $name once $precondition.title',
    async ({ precondition, ...change }) => {
      const furnished = await furnish(change, precondition.consented === true)
      let entriesBefore: unknown

      const { code } = await askLate(change, furnished, async () => {
        await precondition.change(furnished)
        entriesBefore = await entriesOf(furnished)
      })

      expect(code).toBe(typeof precondition.code === 'string' ? precondition.code : precondition.code(change))
      expect(await entriesOf(furnished)).toEqual(entriesBefore)
    },
  )
})
