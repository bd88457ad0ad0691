import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { operations } from '../../src/contract/operations.ts'
import { random128 } from '../support/device-signer.ts'
import { bypassCodeOf, hardwareToken, member, unique } from './features/codes/code-holder.ts'
import { administrator, startConsole } from './features/administrators/console-holder.ts'
import type { Console } from './features/administrators/console-holder.ts'
import { approvalsOf, approver } from './features/approvals/approving.ts'
import { passkeyHolder } from './features/passkeys/passkey-holder.ts'

/*
 * Every operation with a body, by its schema: what it accepts is read back as it was written. A new member of a body fails here until
 * the service keeps it, or until it stands among the exceptions with the reason.
 */

let folder: string
let running: Console
let owner: Awaited<ReturnType<typeof administrator>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-round-trip-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
  owner = await administrator(running, { role: 'owner' })
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})

/** Called like `call`; in the console, as an owner. */
type Send = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<{ json: any; text: string }> // oxlint-disable-line typescript/no-explicit-any -- tests read what they expect

const call: Send = (...args) => running.call(...args)
const asOwner: Send = (...args) => owner.call(...args)

/** Members of a body, or what is read of them. */
type Values = Readonly<Record<string, unknown>>

interface Trip {
  /** A value for each member that is kept. */
  readonly values: (number: 1 | 2) => Values | Promise<Values>
  /** Writes a body with these members among others that are required. @returns how to read them back. */
  readonly write: (values: Values) => Promise<() => Promise<Values>>
}

const seed = '31'.repeat(20)

const oidcClients = () => `/domains/${running.domain.id}/oidc-clients`

async function oidcClient(id: string): Promise<Values> {
  return ((await asOwner('GET', oidcClients())).json as Values[]).find((each) => each['id'] === id) ?? {}
}

const ofOidcClient = (number: 1 | 2) => ({
  name: `Client ${number}`,
  kind: 'sign-in',
  authentication: number === 1 ? 'client_secret_post' : 'private_key_jwt',
  native: number === 2,
  pkce: number === 1 ? 'nonce' : 'required',
  redirectUris: [`https://wiki.example.com/callback${number}`],
  postLogoutRedirectUris: [`https://wiki.example.com/bye${number}`],
  jwks: null,
  jwksUri: `https://wiki.example.com/keys${number}`,
  resources: [`https://api${number}.example.com`],
  refreshTokens: number === 1,
  scopes: number === 1 ? ['profile'] : ['profile', 'email'],
  entra: null,
  ciba: null,
})

const entraClient = {
  name: 'Entra',
  kind: 'entra',
  authentication: 'none',
  entra: {
    tenant: '9122040d-6c67-4c5b-b112-36a304b66dad',
    application: '00001111-aaaa-2222-bbbb-3333cccc4444',
    cloud: 'global',
    username: 'oid',
  },
}

const ofUser = (number: 1 | 2) => ({
  name: `Name ${number}`,
  email: `u${number}@example.com`,
  language: number === 1 ? 'de' : 'pt-BR',
  timeZone: number === 1 ? 'Europe/Berlin' : 'Asia/Tokyo',
})

const domainSettings = (number: 1 | 2) => ({
  name: `Domain ${unique()}`,
  type: number === 1 ? 'OTHER' : 'WEB',
  keyType: number === 1 ? 'PIN' : 'PASSCODE',
  requestTimeout: 60 + number,
  activationCodeExpiration: 10 + number,
  maxAllowedRetries: 2 + number,
  requestPollingEnabled: number === 1,
  bypassEnabled: number === 1,
  emailOtpEnabled: number === 1,
  numberMatching: number === 1 ? 'required' : 'off',
  phishingResistant: number === 1 ? 'off' : 'prefer',
})

const from = async (send: Send, path: string) => (await send('GET', path)).json as Values

/** Codes tell the time of their end, in ISO 8601, instead of how long they are valid. */
const codeBack = ({ usesAllowed, dtExpiry }: Values) => ({
  usesAllowed,
  expirationTime: Math.round((Date.parse(String(dtExpiry)) / 1000 - running.clock.now()) / 60),
})

const codes = (number: 1 | 2) => ({ usesAllowed: number, expirationTime: 10 * number })

const administrators = async (id: unknown) => {
  const lists = [(await asOwner('GET', '/administrators')).json, (await asOwner('GET', '/invitations')).json]
  return lists.flat().find((each: Values) => each['id'] === id) as Values
}

const approverReference = async () => ({ id: (await approver(running)).id })

const trips: Readonly<Record<string, Trip>> = {
  createUser: {
    values: (number) => ({ username: unique(), ...ofUser(number) }),
    async write(values) {
      const { json } = await call('POST', '/users', { body: values })
      return () => from(call, `/users/${json.id}`)
    },
  },
  updateUser: {
    values: ofUser,
    async write(values) {
      const { path } = await member(running)
      await call('PUT', path, { body: values })
      return () => from(call, path)
    },
  },
  synchronizeMembers: {
    values: (number) => ({ username: unique(), name: `Name ${number}`, email: `s${number}@example.com` }),
    async write(values) {
      const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      await call('PUT', `/domains/${id}/users`, { body: [{ username: unique(), name: 'Name', email: '', ...values }] })
      return async () => ((await call('GET', `/domains/${id}/users`)).json as Values[])[0] ?? {}
    },
  },
  renameDevice: {
    values: (number) => ({ name: `Phone ${number}` }),
    async write(values) {
      const { user } = await running.enroll(unique())
      const path = `/domains/${running.domain.id}/users/${user.id}/token`
      await call('PUT', `${path}/device`, { body: values })
      return async () => (await from(call, path))['device'] as Values
    },
  },
  createSession: {
    values: () => ({ purpose: 'change_devices', attributes: [{ key: 'Order', value: '17' }], ipAddress: '192.0.2.9' }),
    async write(values) {
      const person = await running.enroll(unique())
      const { id } = await person.ask({ challenge: random128(), ...values })
      return async () => {
        const { purpose } = await person.session(id)
        const [request] = await person.pending()
        const { attributes, ipAddress } = request as unknown as Values
        return { purpose, attributes, ipAddress }
      }
    },
  },
  createApproval: {
    values: async (number) =>
      number === 1
        ? {
            title: 'Deploy 4.2',
            details: [{ label: 'Commit', value: '1f2e3d' }],
            expiresIn: 120,
            requestedBy: 'script',
          }
        : { approvers: [await approverReference(), await approverReference()], needed: 2 },
    async write(values) {
      const asking = 'approvers' in values ? (await member(running)).id : undefined
      const who = asking === undefined ? { user: await approverReference() } : { requestedBy: asking }
      const app = approvalsOf(running)
      const { json } = await app.ask({ ...who, ...values })
      return async () => {
        const { content, approvers, needed, createdAt, expiresAt } = await app.get(json.id)
        const { title, details, requester } = JSON.parse(content)
        const people = approvers.map(({ user: { id } }) => ({ id }))
        const asked = { approvers: people, needed, expiresIn: expiresAt - createdAt }
        return { title, details, requestedBy: requester.name, ...asked }
      }
    },
  },
  registerPasskey: {
    values: (number) => ({ name: `Key ${number}` }),
    async write(values) {
      const person = await passkeyHolder(running)
      await person.addPasskey({ ...values, pass: await person.passByPasskey() })
      return async () => ((await person.listPasskeys()) as Values[]).at(-1) ?? {}
    },
  },
  renamePasskey: {
    values: (number) => ({ name: `Key ${number}` }),
    async write(values) {
      const { passkeys, passkey, listPasskeys } = await passkeyHolder(running)
      await call('PUT', `${passkeys}/${passkey.id}`, { body: values })
      return async () => ((await listPasskeys()) as Values[])[0] ?? {}
    },
  },
  enrollHardwareToken: {
    values: (number) => ({ alias: `App ${number}` }),
    async write(values) {
      const person = await member(running)
      const { answer } = await person.enrollApp(values)
      return () => from(call, `/hardware/${answer.json.id}`)
    },
  },
  createHardwareToken: {
    values: (number) => ({
      alias: `Token ${number}`,
      serialNumber: unique(),
      algorithm: number === 1 ? 'SHA256' : 'SHA512',
      digits: number === 1 ? 6 : 7,
      // A counter-based token has no words about time.
      ...(number === 1 ? { type: 'TOTP6', timeStep: '30s', period: 15 } : { counter: 90 }),
    }),
    async write(values) {
      const body = { seed, ...values }
      const { json } = await call('POST', '/hardware', { body })
      return () => from(call, `/hardware/${json.id}`)
    },
  },
  updateHardwareToken: {
    values: (number) => ({ alias: `Token ${number}` }),
    async write(values) {
      const { id } = await hardwareToken(running)
      await call('PUT', `/hardware/${id}`, { body: values })
      return () => from(call, `/hardware/${id}`)
    },
  },
  createBypassCode: {
    values: codes,
    async write(values) {
      const { path } = await member(running)
      const { json } = await call('POST', `${path}/bypasscodes`, { body: { ...codes(1), ...values } })
      return async () => codeBack(await from(call, `/bypasscodes/${json.id}`))
    },
  },
  replaceBypassCodes: {
    values: codes,
    async write(values) {
      const person = await member(running)
      const pass = await person.pass({ bypasscode: (await bypassCodeOf(running, person.id)).code })
      const path = `${person.memberPath}/bypasscodes`
      const { json } = await call('PUT', path, { body: { count: 1, ...codes(1), ...values, pass } })
      return async () => codeBack(await from(call, `/bypasscodes/${json[0].id}`))
    },
  },
  createPersonBypassCode: {
    values: codes,
    async write(values) {
      const { id } = await member(running)
      const body = { ...codes(1), ...values, because: 'test' }
      const { json } = await asOwner('POST', `/people/${id}/bypass-codes`, { body })
      return async () => codeBack(await from(call, `/bypasscodes/${json.id}`))
    },
  },
  changePersonEmail: {
    values: (number) => ({ email: `p${number}@example.com` }),
    async write(values) {
      const { id, path } = await member(running)
      const { version } = await from(asOwner, `/people/${id}`)
      const headers = { 'if-match': `"${String(version)}"` }
      await asOwner('PUT', `/people/${id}/email`, { body: { ...values, because: 'test' }, headers })
      return () => from(call, path)
    },
  },
  assignPersonHardware: {
    values: async () => {
      const { id } = await hardwareToken(running)
      const { serialNumber } = await from(call, `/hardware/${id}`)
      return { serialNumber }
    },
    async write(values) {
      const { id } = await member(running)
      await asOwner('POST', `/people/${id}/hardware`, { body: { ...values, because: 'test' } })
      return async () => (await from(asOwner, `/people/${id}`))['hardware'] as Values
    },
  },
  createAdminDomain: {
    values: domainSettings,
    async write(values) {
      const { json } = await asOwner('POST', '/domains', { body: { name: unique(), ...values } })
      return () => from(asOwner, `/domains/${json.id}`)
    },
  },
  changeAdminDomain: {
    values: domainSettings,
    async write(values) {
      const { json } = await asOwner('POST', '/domains', { body: { name: unique() } })
      const headers = { 'if-match': `"${json.version}"` }
      await asOwner('PUT', `/domains/${json.id}`, { body: values, headers })
      return () => from(asOwner, `/domains/${json.id}`)
    },
  },
  inviteAdministrator: {
    values: async () => ({
      name: unique(),
      email: `${unique()}@example.com`,
      role: 'helpdesk',
      domains: [running.domain.id],
      user: (await member(running, { email: `${unique()}@example.com` })).id,
    }),
    async write(values) {
      const body = { name: unique(), email: `${unique()}@example.com`, role: 'admin', ...values }
      const { json } = await asOwner('POST', '/invitations', { body })
      return () => administrators(json.id)
    },
  },
  changeAdministrator: {
    values: () => ({ role: 'auditor', domains: [running.domain.id] }),
    async write(values) {
      const { id } = await administrator(running, { role: 'admin', email: `${unique()}@example.com`, name: unique() })
      const { version } = await administrators(id)
      const body = { role: 'auditor', domains: [], ...values }
      await asOwner('PUT', `/administrators/${id}`, { body, headers: { 'if-match': `"${String(version)}"` } })
      return () => administrators(id)
    },
  },
  createAdminApiKey: {
    values: () => ({ role: 'auth', domain: running.domain.id }),
    async write(values) {
      const { json } = await asOwner('POST', '/api-keys', { body: { role: 'auth', ...values } })
      return async () => ((await asOwner('GET', '/api-keys')).json as Values[]).find(({ id }) => id === json.id) ?? {}
    },
  },
  createOidcClient: {
    values: (number) => (number === 1 ? ofOidcClient(1) : entraClient),
    async write(values) {
      const { json } = await asOwner('POST', oidcClients(), { body: { name: 'Wiki', ...values } })
      return () => oidcClient(json.id)
    },
  },
  changeOidcClient: {
    values: (number) => {
      const { kind: _kind, ...changed } = ofOidcClient(number)
      return changed
    },
    async write(values) {
      const body = { name: 'Wiki', kind: 'sign-in', redirectUris: ['https://wiki.example.com/first'] }
      const { json } = await asOwner('POST', oidcClients(), { body })
      await asOwner('PUT', `${oidcClients()}/${json.id}`, { body: values, headers: { 'if-match': '"1"' } })
      return () => oidcClient(json.id)
    },
  },
  requestConsent: {
    values: () => ({ operation: 'createPersonBypassCode', parameters: codes(2), because: 'lost_device' }),
    async write(values) {
      const domains = [running.domain.id]
      const asking = await administrator(running, { role: 'helpdesk', domains, email: `${unique()}@example.com` })
      const { id } = await member(running)
      const body = { operation: 'createPersonBypassCode', parameters: codes(1), because: 'test', ...values }
      const { json } = await asking.call('POST', `/people/${id}/consents`, { body })
      return async () =>
        ((await asOwner('GET', '/consents')).json as Values[]).find((each) => each['id'] === json.id) ?? {}
    },
  },
  prepareBulkJob: {
    values: () => ({ action: 'unlock', because: 'test' }),
    async write(values) {
      const { id } = await member(running)
      const { json } = await asOwner('POST', '/bulk-jobs', {
        body: { action: 'unlock', because: 'test', people: [id], ...values },
      })
      return () => from(asOwner, `/bulk-jobs/${json.id}`)
    },
  },
}

const proof = 'proves or names something in this one request'
const once = 'says what is done now, and is not kept'
const sealed = 'a secret, which no answer contains'

/** Members that no operation returns, and why. */
const neverReturned: Readonly<Record<string, string>> = {
  because: 'stands in the audit trail, whose tests read it',
  epoch: 'chosen by the caller, and compared in the tests of epochs',
  pass: proof,
  challenge: proof,
  response: proof,
  otp: proof,
  bypasscode: proof,
  passkey: proof,
  token: proof,
  browser: proof,
  browserProof: proof,
  binding: 'kept as a hash, and compared at the redemption',
  rp: proof,
  rpId: proof,
  seed: sealed,
  first: once,
  redeem: once,
  enrolling: once,
}

/** Other members that are not read back, by operation, and why. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createUser: { provision: once },
  updateUser: { username: 'never changes: another one is refused' },
  giveUpFactor: { what: once },
  noteEmergency: { until: 'stands in the audit trail, whose tests read it' },
  importSession: {
    user: 'names the user, who is read elsewhere',
    attributes: 'kept as `createSession` keeps them',
    ipAddress: 'stands in the audit trail, as that of `createSession`',
    unknownBrowser: 'decides what the browser may do',
    phishingResistant: 'decides what counts',
    factors: 'are proven by the codes that pass afterwards: the tests of the operation use each',
  },
  createSession: {
    user: 'names the user, who is read elsewhere',
    numberMatching: 'decides whether the request has a number',
    unknownBrowser: 'decides what the browser may do',
    phishingResistant: 'decides what counts',
  },
  createApproval: {
    user: 'names the person, who is one of the approvers',
    numberMatching: 'decides whether there is a number',
  },
  startApprovalByPasskey: { user: 'names the person, who is one of the approvers' },
  approveByPasskey: { user: 'names the person, who is one of the approvers' },
  redeemSession: { unknownBrowser: 'decides what the browser may do', phishingResistant: 'decides what counts' },
  sendEmailCode: { deliverableOTPType: once, language: 'is that of this one mail' },
  createPasskeySession: { ipAddress: 'stands in the audit trail, whose tests read it' },
  registerPasskey: { conditional: once },
  startPasskeyAuthentication: { purpose: 'is bound to the challenge' },
  enrollHardwareToken: {
    type: 'is proven by the code: the tests of enrollment use each',
    timeStep: 'is proven by the code: the tests of enrollment use each',
    algorithm: 'is proven by the code: the tests of enrollment use each',
    digits: 'is proven by the code: the tests of enrollment use each',
    period: 'is proven by the code: the tests of enrollment use each',
    replaces: once,
  },
  importFactors: {
    users: 'read as users, hardware tokens and codes: the tests of imports read each',
    addUsers: 'decides who is added',
    dryRun: 'decides whether anything changes',
  },
  addAdminPasskey: { name: 'read by the tests of own passkeys, which need a ceremony' },
  finishAdminRegistration: { name: 'read by the tests of own passkeys, which need a ceremony' },
  decideAdministratorRecord: { user: once, own: once },
  setAdminDomainImage: { png: 'a file, compared in the tests of images' },
  prepareBulkJob: { people: 'kept as a number', search: 'kept as a number', domain: 'only some jobs have one' },
  startBulkJob: { people: once },
  showEnrollmentLink: { days: 'kept as the time of the end' },
  sendEnrollmentMail: { days: 'kept as the time of the end' },
  resynchronizePersonHardware: { second: proof },
  drawQrCode: { text: once },
  rotateOidcSecret: { overlap: 'kept as the time of the end of the secret before' },
}

const bodyOf = (body: z.ZodType | undefined): z.ZodObject | undefined => {
  if (body instanceof z.ZodObject) return body
  if (body instanceof z.ZodArray) return bodyOf(body.element as z.ZodType)
  if (body instanceof z.ZodPipe) return bodyOf(body.in as z.ZodType)
  return undefined
}

const withBody = [...operations, ...adminOperations].flatMap(({ name, endpoint: { body } }) => {
  const known = bodyOf(body)
  return body ? [{ name, members: known ? Object.keys(known.shape) : [] }] : []
})

describe('an operation with a body', () => {
  it.each(withBody)(
    'an operation reads back every member of its body, or names it as an exception: $name',
    async ({ name, members }) => {
      const values = [await trips[name]?.values(1), await trips[name]?.values(2)]
      const keptMembers = [...new Set(values.flatMap((each) => Object.keys(each ?? {})))]

      const never = members.filter((each) => each in neverReturned && !keptMembers.includes(each))
      expect([...keptMembers, ...never, ...Object.keys(exceptions[name] ?? {})].toSorted()).toEqual(members.toSorted())
    },
  )

  it.each(withBody.filter(({ name }) => name in trips))(
    'an operation with a body returns what it was given: $name',
    async ({ name }) => {
      const trip = trips[name]!
      // All trips together take longer than a session in the console lasts.
      owner = await administrator(running, { role: 'owner' })
      for (const number of [1, 2] as const) {
        running.clock.skip(600)
        await owner.confirm()
        const values = await trip.values(number)

        const read = await trip.write(values)

        expect(await read()).toMatchObject(values)
      }
    },
  )
})
