import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { devicePaths } from '../../src/contract/device.ts'
import { ErrorBody, errorStatus } from '../../src/contract/errors.ts'
import type { ErrorCode } from '../../src/contract/errors.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { createService } from '../../src/service/index.ts'
import { systemRandom } from '../../src/service/engine/base/random.ts'
import { createDeviceCalls, createDeviceSigner, previewCode } from '../support/device-signer.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openRaw } from '../support/raw-http.ts'
import { hardwareToken, member, unique } from './features/codes/code-holder.ts'
import { administrator, callConsole, consoleBrowser, startConsole } from './features/administrators/console-holder.ts'
import type { Console } from './features/administrators/console-holder.ts'
import { askCaller, askedCaller, personWithDevice } from './features/callers/phone-caller.ts'
import { passkeyHolder, passkeyUser } from './features/passkeys/passkey-holder.ts'
import { approvalsOf, approver } from './features/approvals/approving.ts'
import { activateDevice, createCall, newUser, read, startService, unknownId } from './start-service.ts'
import type { Answer, Running } from './start-service.ts'

let running: Running
let administered: Console
let folder: string

beforeAll(async () => {
  running = await startService({}, { bypassEnabled: true })
  folder = mkdtempSync(join(tmpdir(), 'second-factor-codes-'))
  administered = await startConsole(join(folder, 'mfa.sqlite'))
})
afterAll(async () => {
  await administered.close()
  await running.close()
  rmSync(folder, { recursive: true })
})

const domain = () => `/domains/${running.domain.id}`
const get = (path: string) => running.call('GET', path)
const createUser = (more: object, key?: string) => {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return running.call('POST', '/users', { body: { ...newUser(unique()), ...more }, headers })
}
const createSession = (more: object) =>
  running.call('POST', `${domain()}/sessions`, { body: { user: { id: unknownId }, ...more } })

/** Asks somebody to approve an action, by default a member without a device. */
const askApproval = (more: object) => approvalsOf(running).ask({ user: { id: unknownId }, ...more })

const token = { serialNumber: 'S', type: 'TOTP6', timeStep: 30, seed: '0'.repeat(40) }
const createToken = (more: object) => running.call('POST', '/hardware', { body: { ...token, ...more } })

async function createBypassCode(more: object): Promise<Answer> {
  const { path } = await member(running)
  return running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 1, ...more } })
}

/** A device with a pending session, with or without a number. */
async function asked(more: object = {}) {
  const enrolled = await running.enroll(unique())
  const { id } = await enrolled.ask(more)
  const [request] = await enrolled.pending()
  return { ...enrolled, id, nonce: request?.nonce }
}

async function answerRequest(answer: object, different: object = {}, more: object = {}): Promise<Answer> {
  const { device, id, nonce } = await asked(more)
  return read(await device.answer(id, { nonce, decision: 'approve', ...answer }, different))
}

/** Calls a separate service, which may end up broken. */
async function elsewhere(
  options: Parameters<typeof startService>[0],
  act: (other: Running) => Promise<Answer>,
): Promise<Answer> {
  const other = await startService(options)
  try {
    return await act(other)
  } finally {
    await other.close()
  }
}

/** Repeats a call whose mail the mail server does not take. */
async function repeatedTooEarly(): Promise<Answer> {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  server.hang()
  return elsewhere({ smtp: { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' } }, async (other) => {
    const { id } = await other.service.administration.createDomain(other.organization.id, {
      name: 'Mail',
      emailOtpEnabled: true,
    })
    const person = await member(other)
    await other.call('PUT', `/domains/${id}/users/${person.id}`)
    const options = { body: { deliverableOTPType: 'EMAIL' }, headers: { 'idempotency-key': 'key' } }
    const send = () => other.call('POST', `/domains/${id}/users/${person.id}/otp`, options)
    const sending = other.clock.timerSet(8)
    const first = send()
    await sending
    const waiting = other.clock.timerSet(4)
    const repeated = send()
    await waiting
    await other.clock.advance(4)
    const answer = await repeated
    await other.clock.advance(4)
    await first
    return answer
  })
}

/** Calls a separate service that cannot load the library. */
async function withoutWebAuthn(act: (other: Running) => Promise<Answer>): Promise<Answer> {
  vi.resetModules()
  vi.doMock('@simplewebauthn/server', () => {
    throw new Error('not installed')
  })
  const { startService: startAnother } = await import('./start-service.ts')
  const other = await startAnother()
  try {
    return await act(other)
  } finally {
    await other.close()
    vi.doUnmock('@simplewebauthn/server')
  }
}

const invited = { name: 'New', email: 'new@example.com' }

/** Calls a console as an owner. */
async function asOwner(act: (owner: Awaited<ReturnType<typeof administrator>>) => Promise<Answer>): Promise<Answer> {
  return act(await administrator(administered, { role: 'owner' }))
}

/** Imports hardware tokens in a console, from this text. */
const importFile = (file: string, more: object = {}): Promise<Answer> =>
  asOwner(({ call }) => {
    const headers = { 'content-type': 'text/csv', ...more }
    return call('POST', '/stock/import?because=test&dryRun=true', { file, headers })
  })

type Owner = Awaited<ReturnType<typeof administrator>>

const reset = ({ call }: Owner, path: string) => call('POST', `${path}/reset`, { body: { because: 'test' } })

/** Calls a console about a member of its domain, and perhaps of another one. */
async function onPerson(
  act: (by: Owner, path: string) => Promise<Answer>,
  { role }: { readonly role: 'owner' | 'admin' | 'helpdesk' } = { role: 'owner' },
  another?: string,
): Promise<Answer> {
  const { id: first } = administered.domain
  const { json: user } = await administered.call('POST', '/users', { body: newUser(unique()) })
  const { administration } = administered.service
  const organizationId = administered.organization.id
  const otherDomains =
    another === undefined ? [] : [(await administration.createDomain(organizationId, { name: another })).id]
  for (const id of [first, ...otherDomains]) await administered.call('PUT', `/domains/${id}/users/${user.id}`)
  const by = await administrator(administered, { role, domains: role === 'owner' ? [] : [first] })
  return act(by, `/people/${user.id}`)
}

/** Asks for an enrollment mail to a person of the console's domain. */
const mailTo = (id: string, more: object = {}): Promise<Answer> =>
  asOwner(({ call }) => {
    const path = `/people/${id}/domains/${administered.domain.id}/enrollment-mail`
    return call('POST', path, { body: { because: 'test', ...more } })
  })

/** Triggers each code over HTTP. Both TypeScript and a test below check that no code is missing. */
const ways: Readonly<Record<ErrorCode, () => Promise<Answer>>> = {
  'api.error.malformed': () => running.call('POST', '/users', { raw: '{' }),
  'api.error.invalid.user': () => createSession({ user: {} }),
  'api.error.invalid.username': () => createUser({ username: '' }),
  'api.error.invalid.name': () => createUser({ name: '' }),
  'api.error.invalid.email': () => createUser({ email: 'nobody' }),
  'api.error.invalid.users': () => running.call('PUT', `${domain()}/users`, { body: [newUser('a'), {}] }),
  'api.error.invalid.attributes': () => createSession({ attributes: 1 }),
  'api.error.invalid.otp': () => createSession({ otp: 1 }),
  'api.error.invalid.bypasscode': () => createSession({ bypasscode: 1 }),
  'api.error.invalid.ipaddress': () => createSession({ ipAddress: 1 }),
  'api.error.invalid.challenge': () => createSession({ challenge: 'short' }),
  'api.error.invalid.purpose': () => createSession({ purpose: 'pay' }),
  'api.error.invalid.redeem': () => createSession({ redeem: {}, challenge: 'q83vEjRWeJCrze8SNFZ4kA' }),
  'api.error.invalid.pass': () =>
    running.call('PUT', `${domain()}/users/${unknownId}/token/replacement`, { body: { pass: 'none' } }),
  'api.error.invalid.numbermatching': () => createSession({ numberMatching: 'yes' }),
  'api.error.invalid.page': () => get('/users?page=0'),
  'api.error.invalid.alias': () => createToken({ alias: '' }),
  'api.error.invalid.serialnumber': () => createToken({ serialNumber: '' }),
  'api.error.invalid.type': () => createToken({ type: 'HOTP' }),
  'api.error.invalid.timestep': () => createToken({ timeStep: 45 }),
  'api.error.invalid.encoding': () => importFile('serial,secret\n1,2'),
  'api.error.invalid.password': () => importFile('serial,seed', { 'x-password': '%' }),
  'api.error.invalid.algorithm': () => createToken({ algorithm: 'MD5' }),
  'api.error.invalid.digits': () => createToken({ digits: 9 }),
  'api.error.invalid.period': () => createToken({ period: 14 }),
  'api.error.invalid.counter': () => createToken({ counter: -1 }),
  'api.error.invalid.seed': () => createToken({ seed: 'secret' }),
  'api.error.invalid.usesallowed': () => createBypassCode({ usesAllowed: 0 }),
  'api.error.invalid.expirationtime': () => createBypassCode({ expirationTime: -1 }),
  'api.error.invalid.deliverableotptype': () =>
    running.call('POST', `${domain()}/users/${unknownId}/otp`, { body: { deliverableOTPType: 'SMS' } }),
  'api.error.invalid.code': async () => read(await previewCode(running.origin, 'none')),
  'api.error.invalid.nonce': () => answerRequest({ nonce: 'A'.repeat(22) }),
  'api.error.invalid.decision': () => answerRequest({ decision: 'perhaps' }),
  'api.error.invalid.number': () => answerRequest({}, {}, { numberMatching: true }),
  'api.error.invalid.pin': async () => {
    const other = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
      keyType: 'PIN',
    })
    const { id } = await member(running)
    const path = `/domains/${other.id}/users/${id}`
    await running.call('PUT', path)
    const { code } = (await running.call('PUT', `${path}/token`)).json
    const { service } = (await read(await previewCode(running.origin, code))).json
    const signer = await createDeviceSigner({ service, now: () => running.clock.now() })
    return read(await createDeviceCalls(running.origin, signer).activate(code, { pin: '1234' }))
  },
  'api.error.invalid.push': async () => {
    const { device } = await asked()
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
    return read(await device.push({ endpoint: 'https://example.com/', keys }))
  },
  'api.error.invalid.rp': async () => (await passkeyUser(running)).startUse({ rp: { id: '192.0.2.1', origins: [] } }),
  'api.error.invalid.rpid': async () => get(`${(await passkeyUser(running)).passkeys}?rpId=192.0.2.1`),
  'api.error.invalid.response': async () =>
    (await passkeyUser(running)).addPasskey({}, { origin: 'https://other.example' }),
  'api.error.invalid.passkey': () => createSession({ challenge: 'A'.repeat(22), passkey: { id: 'none' } }),
  'api.error.invalid.factors': () =>
    running.call('POST', `${domain()}/sessions/import`, {
      body: { user: { id: unknownId }, otp: '123456', factors: {} },
    }),
  'api.error.unauthorized': async () => read(await fetch(`${running.origin}/api/ping`)),
  'api.error.device.unknown': () => answerRequest({}, { sub: unknownId }),
  'api.error.device.clock': () => answerRequest({}, { iat: running.clock.now() - 3600 }),
  'api.error.device.replayed': async () => {
    const { device, signer, id, nonce } = await asked()
    const path = devicePaths.answer(id)
    const jws = await signer.sign({ htm: 'POST', path, nonce, decision: 'deny' })
    await device.post(path, jws)
    return read(await device.post(path, jws))
  },
  'api.error.forbidden': async () => {
    const key = await running.service.administration.createApiKey(running.organization.id, { role: 'auth' })
    return createCall(running.origin, key)('POST', '/users', { body: newUser(unique()) })
  },
  'api.error.device.revoked': async () => {
    const { device, user } = await asked()
    await running.call('DELETE', `${domain()}/users/${user.id}/token`)
    return read(await device.inbox())
  },
  'api.error.device.moved': async () => {
    const { device, user } = await asked()
    const { json } = await running.call('PUT', `${domain()}/users/${user.id}/token/replacement`, { body: {} })
    await activateDevice(running.origin, running.clock, json.code)
    return read(await device.inbox())
  },
  'api.error.notfound.operation': () => get('/nothing'),
  'api.error.notfound.user': () => get(`/users/${unknownId}`),
  'api.error.notfound.domain': () => get(`/domains/${unknownId}`),
  'api.error.notfound.token': async () => get(`${domain()}/users/${(await member(running)).id}/token`),
  'api.error.notfound.session': () => get(`${domain()}/sessions/${unknownId}`),
  'api.error.notfound.hardware': () => get(`/hardware/${unknownId}`),
  'api.error.notfound.bypasscode': () => get(`/bypasscodes/${unknownId}`),
  'api.error.notfound.browser': async () => {
    const path = `${domain()}/users/${(await member(running)).id}/browsers/recognize`
    return running.call('POST', path, { body: { browser: 'none' } })
  },
  'api.error.notfound.passkey': async () => (await passkeyUser(running)).startUse(),
  'api.error.notfound.activationcode': async () => read(await previewCode(running.origin, 'aaaaaaaaaa')),
  'api.error.methodnotallowed': () => running.call('DELETE', '/users'),
  'api.error.notacceptable': () => running.call('GET', '/ping', { headers: { accept: 'text/html' } }),
  'api.error.timeout': async () => {
    const timeouts = { headers: 50, request: 50 }
    const door = await listen(running.service.listener, { host: '127.0.0.1', port: 0, timeouts })
    const connection = await openRaw(door.port)
    const { status, headers, body: text } = await connection.answer()
    await door.close()
    const json = JSON.parse(text)
    return { status, headers: new Headers([...headers]), text, json, code: json.errors[0].code }
  },
  'api.error.conflict.username': async () => {
    const username = unique()
    await createUser({ username })
    return createUser({ username })
  },
  'api.error.conflict.similarusername': async () => {
    const username = unique()
    await createUser({ username: `name ${username}` })
    return createUser({ username: `NAME ${username}`, provision: true })
  },
  'api.error.conflict.serialnumber': async () => {
    const serialNumber = unique()
    await createToken({ serialNumber })
    return createToken({ serialNumber })
  },
  'api.error.conflict.hardware': async () => {
    const [first, second] = [await member(running), await member(running)]
    const { id } = await hardwareToken(running)
    await running.call('PUT', `${first.path}/hardware/${id}`)
    return running.call('PUT', `${second.path}/hardware/${id}`)
  },
  'api.error.invalid.idempotencykey': () => createUser({}, 'two words'),
  'api.error.mismatch.idempotencykey': async () => {
    const key = unique()
    await createUser({ username: unique() }, key)
    return createUser({ username: unique() }, key)
  },
  'api.error.conflict.idempotencykey': () => repeatedTooEarly(),
  'api.error.conflict.enrolled': async () => {
    const { user } = await running.enroll(unique())
    return running.call('PUT', `${domain()}/users/${user.id}/token/first`)
  },
  'api.error.conflict.emailotpenabled': async () =>
    running.call('POST', `${domain()}/users/${(await member(running)).id}/otp`, {
      body: { deliverableOTPType: 'EMAIL' },
    }),
  'api.error.conflict.pass': async () =>
    running.call('PUT', `${(await member(running)).memberPath}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 0, pass: unknownId },
    }),
  'api.error.conflict.state': async () => {
    const challenge = 'A'.repeat(22)
    const { sessions, id } = await asked({ challenge })
    return running.call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })
  },
  'api.error.conflict.passkey': async () => {
    const { passkey } = await passkeyHolder(running)
    return (await passkeyUser(running)).addPasskey({}, { sameId: passkey.credentialId })
  },
  'api.error.limit.passkeys': async () => {
    const { addPasskey, pass } = await passkeyHolder(running)
    for (let count = 1; count < 10; count += 1) await addPasskey({ pass: await pass() })
    return addPasskey({ pass: await pass() })
  },
  'api.error.limit.bypasscodes': async () => {
    const { path } = await member(running)
    const body = { usesAllowed: 1, expirationTime: 1 }
    for (let count = 0; count < 5; count += 1) await running.call('POST', `${path}/bypasscodes`, { body })
    return running.call('POST', `${path}/bypasscodes`, { body })
  },
  'api.error.precondition': () =>
    running.call('PUT', `${domain()}/users`, { body: [], headers: { 'if-match': '"999"' } }),
  'api.error.toolarge': () => running.call('POST', '/users', { raw: ' '.repeat(1024 * 1024 + 1) }),
  'api.error.unsupportedmediatype': () =>
    running.call('POST', '/users', { raw: '{}', headers: { 'content-type': 'text/xml' } }),
  'api.error.toomanyrequests': () =>
    elsewhere({ limits: { triesPerAddress: 1, triesPerService: 1 } }, async ({ origin }) => {
      await previewCode(origin, 'aaaaaaaaaa')
      return read(await previewCode(origin, 'aaaaaaaaaa'))
    }),
  'api.error.locked': async () => {
    const { id } = await member(running)
    const wrong = { user: { id }, otp: '000000' }
    for (let tries = 0; tries < 10; tries += 1) await createSession(wrong)
    return createSession(wrong)
  },
  'api.error.limit.codes': async () => {
    const { id } = await member(running)
    const wrong = { user: { id }, otp: '000000', challenge: 'A'.repeat(22) }
    for (let tries = 0; tries < 5; tries += 1) await createSession(wrong)
    return createSession(wrong)
  },
  'api.error.invalid.role': () =>
    asOwner(({ call }) => call('POST', '/invitations', { body: { ...invited, role: 'king' } })),
  'api.error.invalid.domains': () =>
    asOwner(({ call }) => call('POST', '/invitations', { body: { ...invited, role: 'helpdesk' } })),
  'api.error.invalid.token': () => callConsole(administered, 'POST', '/registration/options', { body: { token: 'x' } }),
  'api.error.notfound.apikey': () => asOwner(({ call }) => call('DELETE', `/api-keys/${unknownId}`)),
  'api.error.notfound.invitation': () => consoleBrowser(administered).register('A'.repeat(43)),
  'api.error.notfound.administrator': () => asOwner(({ call }) => call('GET', `/administrators/${unknownId}`)),
  async 'api.error.forbidden.blocked'() {
    const helpdesk = await administrator(administered, { role: 'helpdesk', domains: [administered.domain.id] })
    const person = await personWithDevice(administered)
    await (await askedCaller(helpdesk, person)).answer('deny')
    return askCaller(helpdesk, person)
  },
  'api.error.notfound.callerverification': async () => {
    const { domainId, id } = await personWithDevice(administered)
    const path = `/domains/${domainId}/users/${id}/caller-verifications/${unknownId}`
    return asOwner(({ call }) => call('GET', path))
  },
  'api.error.forbidden.own': () => asOwner(({ call, id }) => call('DELETE', `/administrators/${id}`)),
  'api.error.invalid.q': () => asOwner(({ call }) => call('GET', `/people?q=${'x'.repeat(129)}`)),
  'api.error.invalid.filter': () => asOwner(({ call }) => call('GET', '/people?filter=tall')),
  'api.error.invalid.because': () => onPerson(({ call }, path) => call('POST', `${path}/reset`, { body: {} })),
  'api.error.invalid.file': () => importFile('\n\n\n'),
  'api.error.invalid.key': () => importFile('serial,seed', { 'x-key': '0'.repeat(32) }),
  'api.error.invalid.operation': () =>
    onPerson(({ call }, path) =>
      call('POST', `${path}/consents`, { body: { operation: 'getPerson', because: 'test' } }),
    ),
  'api.error.invalid.parameters': () =>
    onPerson(({ call }, path) =>
      call('POST', `${path}/consents`, { body: { operation: 'createPersonBypassCode', because: 'test' } }),
    ),
  'api.error.notfound.bulkjob': () => asOwner(({ call }) => call('GET', `/bulk-jobs/${unknownId}`)),
  'api.error.conflict.people': () =>
    asOwner(async ({ call }) => {
      const { json } = await call('POST', '/bulk-jobs', { body: { action: 'unlock', because: 'test', search: {} } })
      return call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: json.people + 1 } })
    }),
  'api.error.limit.people': async () => {
    const smtp = { host: '127.0.0.1', port: 1, from: 'mfa@example.com' }
    const mailing = await startConsole(join(folder, 'mailing.sqlite'), {
      smtp,
      authenticatorUrl: 'https://mfa.example',
    })
    onTestFinished(() => mailing.close())
    const mailed = mailing.domain.id
    const rows = Array.from({ length: 51 }, () => newUser(unique()))
    await mailing.call('PUT', `/domains/${mailed}/users`, { body: rows })
    const { call } = await administrator(mailing, { role: 'helpdesk', domains: [mailed] })
    return call('POST', '/bulk-jobs', {
      body: { action: 'enrollment_mail', because: 'test', domain: mailed, search: {} },
    })
  },
  'api.error.notfound.consent': () => asOwner(({ call }) => call('POST', `/consents/${unknownId}/give`)),
  'api.error.forbidden.sameaddress': async () => {
    const { id } = await member(administered, { email: 'olivia@example.com' })
    return asOwner((owner) => reset(owner, `/people/${id}`))
  },
  'api.error.forbidden.guarded': () => onPerson(reset, { role: 'helpdesk' }),
  'api.error.forbidden.elsewhere': () => onPerson(reset, { role: 'admin' }, 'Another domain'),
  'api.error.forbidden.fresh': () =>
    asOwner(({ call }) => {
      administered.clock.skip(300)
      return call('POST', '/invitations', { body: { ...invited, role: 'owner' } })
    }),
  'api.error.internal': () => {
    let broken = false
    const random = (size: number) => {
      if (broken) throw new Error('broken')
      return systemRandom(size)
    }
    return elsewhere({ random }, ({ call }) => {
      broken = true
      return call('POST', '/users', { body: newUser(unique()) })
    })
  },
  'api.error.unavailable': async () => {
    const service = await createService({ database: ':memory:' })
    const door = await listen(service.listener, { host: '127.0.0.1', port: 0 })
    await service.close()
    const answer = await createCall(`http://127.0.0.1:${door.port}`, 'k'.repeat(64))('GET', '/ping')
    await door.close()
    return answer
  },
  'api.error.unavailable.passkeys': () =>
    withoutWebAuthn(async (other) => (await passkeyUser(other)).startRegistration()),
  'api.error.unavailable.pskc': async () => {
    vi.doMock('sax', () => {
      throw new Error('not installed')
    })
    const answer = await importFile('<KeyContainer/>')
    vi.doUnmock('sax')
    return answer
  },
  'api.error.invalid.title': () => askApproval({ title: '' }),
  'api.error.invalid.details': () => askApproval({ details: [{ label: 'To', value: '' }] }),
  'api.error.invalid.approvers': () => askApproval({ approvers: [{ id: unknownId }], requestedBy: unknownId }),
  'api.error.invalid.needed': () => askApproval({ needed: 2 }),
  'api.error.invalid.expiresin': () => askApproval({ expiresIn: 29 }),
  'api.error.invalid.requestedby': async () =>
    askApproval({ user: { id: (await approver(running)).id }, requestedBy: unknownId }),
  'api.error.invalid.proof': async () => {
    const { id, decide } = await approver(running)
    const { json } = await askApproval({ user: { id } })
    return decide(json.id, 'approve', { claims: { content: '{}' } })
  },
  'api.error.invalid.after': () => get(`${domain()}/approvals?after=${unknownId}`),
  'api.error.forbidden.requester': async () => {
    const { id, decide } = await approver(running)
    const ask = () => askApproval({ user: { id }, requestedBy: 'script' })
    await decide((await ask()).json.id, 'report')
    return ask()
  },
  'api.error.notfound.oidcclient': () =>
    asOwner(({ call }) => call('DELETE', `/domains/${administered.domain.id}/oidc-clients/${unknownId}`)),
  'api.error.notfound.approval': () => get(`${domain()}/approvals/${unknownId}`),
  'api.error.invalid.days': async () => mailTo((await member(administered)).id, { days: 31 }),
  'api.error.conflict.email': async () => mailTo((await member(administered, { email: null })).id),
  'api.error.conflict.device': async () => mailTo((await personWithDevice(administered)).id),
  'api.error.unavailable.authenticator': async () => mailTo((await member(administered)).id),
  'api.error.unavailable.mail': async () => {
    const mailing = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
      emailOtpEnabled: true,
    })
    const { id } = await member(running)
    await running.call('PUT', `/domains/${mailing.id}/users/${id}`)
    return running.call('POST', `/domains/${mailing.id}/users/${id}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
  },
}

describe('every error code of the contract', () => {
  it.each(Object.entries(ways))(
    'every error code is returned where it applies, with its status: %s',
    async (code, way) => {
      const { status, json, headers } = await way()

      expect(ErrorBody.parse(json).errors.map((error) => error.code)).toEqual([code])
      expect(status).toBe(errorStatus[code as ErrorCode])
      expect(headers.get('content-type')).toMatch(/^application\/(vnd\.service\.v1\+)?json/)
      expect(json.errors[0].message).toMatch(/^[A-Z]|^\w+(\[\d+\])?(\.\w+)*: /)
    },
  )

  it('every error code of the contract is covered by the error code tests', () => {
    expect(Object.keys(ways).sort()).toEqual(Object.keys(errorStatus).sort())
  })
})

describe('an error that asks to retry later', () => {
  it.each([
    'api.error.toomanyrequests',
    'api.error.locked',
    'api.error.unavailable',
    'api.error.unavailable.mail',
  ] as const)('an error that asks to retry later has a Retry-After header: %s', async (code) => {
    const { headers } = await ways[code]()

    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })
})
