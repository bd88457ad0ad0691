import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { errorStatus } from '../../src/contract/errors.ts'
import { operations } from '../../src/contract/operations.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import type { Lies } from '../../src/testing/software-authenticator.ts'
import { createBrowserKey } from '../support/browser-key.ts'
import { random128 } from '../support/device-signer.ts'
import { conflictEngines, useEngine } from '../support/engines.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { hardwareToken, member, unique } from './features/codes/code-holder.ts'
import {
  administrator,
  consoleBrowser,
  inviteAt,
  origin,
  startConsole,
} from './features/administrators/console-holder.ts'
import type { Console } from './features/administrators/console-holder.ts'
import { personWithDevice } from './features/callers/phone-caller.ts'
import { approvalsOf, approver } from './features/approvals/approving.ts'
import { passkeyHolder, passkeyUser, rp } from './features/passkeys/passkey-holder.ts'
import { newUser, unknownId } from './start-service.ts'
import type { Answer } from './start-service.ts'

type Request = () => Promise<Answer>

const because = 'test'

/** The same request, as often as somebody clicks who gets no answer. */
const thrice = (request: Request): Request[] => [request, request, request]

/** Those of requests without an `Idempotency-Key`. */
const conflictsOf = ({ errors }: Endpoint): string[] =>
  errors.filter((code) => errorStatus[code] === 409 && code !== 'api.error.conflict.idempotencykey')

const conflicting = new Map(
  [...adminOperations, ...operations].flatMap(({ name, endpoint }) =>
    conflictsOf(endpoint).length > 0 ? [[endpoint, name] as const] : [],
  ),
)

describe.each(conflictEngines)('requests that conflict on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let mail: MailServer
  let owner: Awaited<ReturnType<typeof administrator>>

  beforeAll(async () => {
    mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    running = await startConsole(await newDatabase(), { smtp, authenticatorUrl: origin })
    owner = await administrator(running, { role: 'owner' })
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    await owner.confirm()
  })

  const call: Console['call'] = (method, path, options) => running.call(method, path, options)
  const inDomain = ({ id }: { readonly id: string }) => `/domains/${running.domain.id}/users/${id}`
  const signed = (role: 'admin' | 'helpdesk') =>
    administrator(running, { role, domains: [running.domain.id], email: `${unique()}@example.com` })
  const bypass = { usesAllowed: 1, expirationTime: 60 }
  const fourCodes = async (path: string) => {
    for (let count = 0; count < 4; count += 1) await call('POST', `${path}/bypasscodes`, { body: bypass })
  }
  /** A person with a device and a hardware token, and the pass for one change of factors. */
  async function withPass() {
    const person = await passkeyHolder(running)
    return { ...person, pass: await person.passByPasskey() }
  }
  async function consented() {
    const [hal, { id }] = [await signed('helpdesk'), await member(running)]
    const body = { operation: 'resetPerson', because }
    const { json } = await hal.call('POST', `/people/${id}/consents`, { body })
    return `/consents/${json.id}`
  }
  const importCsv = (serial: string, by = owner) => {
    const file = `serial,seed\n${serial},${'31'.repeat(20)}\n`
    const path = `/stock/import?because=${because}&dryRun=false`
    return by.call('POST', path, { file, headers: { 'content-type': 'text/csv' } })
  }
  const prepare = (by = owner) => by.call('POST', '/bulk-jobs', { body: { action: 'unlock', because, search: {} } })
  /** @param lies The credential of somebody else, for example. */
  async function inviteCeremony(lies: Lies = {}) {
    const [browser, token] = [consoleBrowser(running), await inviteAt(running, { role: 'auditor' })]
    const started = await browser.call('POST', '/registration/options', { body: { token } })
    const response = browser.authenticator.make(started.json.options, lies)
    const body = { token, response, name: 'Laptop' }
    return { credentialId: response.id, finish: () => browser.call('POST', '/registration', { body }) }
  }
  async function passkeyCeremony() {
    const started = await owner.call('POST', '/passkeys/options')
    const response = owner.authenticator.make(started.json)
    return () => owner.call('POST', '/passkeys', { body: { response, name: 'Key' } })
  }
  const publicClient = {
    name: 'Wiki',
    kind: 'sign-in',
    authentication: 'none',
    native: true,
    redirectUris: ['http://127.0.0.1/callback'],
  }
  /** A client without a secret. */
  const newOidcClient = async () => {
    const clients = `/domains/${running.domain.id}/oidc-clients`
    const { json } = await owner.call('POST', clients, { body: publicClient })
    return { path: `${clients}/${json.id}` }
  }
  const domainNamed = async (name: string) => (await owner.call('POST', '/domains', { body: { name } })).json
  const rename = ({ id, version }: { id: string; version: string }, name: string) =>
    owner.call('PUT', `/domains/${id}`, { body: { name }, headers: { 'if-match': `"${version}"` } })

  /** An action that the owner of a passkey approves. */
  async function actionByPasskey() {
    const [person, app] = [await passkeyHolder(running), approvalsOf(running)]
    const { json } = await app.ask({ user: { id: person.id } })
    const path = `${app.path}/${json.id}`
    const body = { user: { id: person.id }, rp }
    const start = () => call('POST', `${path}/passkey/options`, { body })
    const passkey = person.authenticator.use((await start()).json)
    const approve = () => call('POST', `${path}/passkey`, { body: { ...body, passkey } })
    return { start, approve, cancel: () => app.cancel(json.id) }
  }

  /** Requests of which one at least is told of a conflict, whatever the order. */
  const scenarios: Readonly<Record<string, () => Promise<readonly Request[]>>> = {
    addAdminPasskey: async () => thrice(await passkeyCeremony()),
    async deleteAdminPasskey() {
      const admin = await signed('admin')
      const added = await admin.addPasskey()
      const [first] = (await admin.call('GET', '/passkeys')).json
      return [first.id, added.json.id, first.id].map((id: string) => () => admin.call('DELETE', `/passkeys/${id}`))
    },
    async startAdminPasskey() {
      const admin = await signed('admin')
      while ((await admin.addPasskey()).status === 200);
      return thrice(() => admin.call('POST', '/passkeys/options'))
    },
    async finishAdminRegistration() {
      const { finish, credentialId } = await inviteCeremony()
      return [...thrice(finish), (await inviteCeremony({ sameId: credentialId })).finish]
    },
    async changeAdministrator() {
      const { id } = await signed('admin')
      const body = { role: 'auditor' }
      await owner.call('DELETE', `/administrators/${id}`)
      return thrice(() => owner.call('PUT', `/administrators/${id}`, { body, headers: { 'if-match': '"1"' } }))
    },
    async decideAdministratorRecord() {
      const [{ id }, { id: user }] = [await signed('admin'), await member(running)]
      await owner.call('DELETE', `/administrators/${id}`)
      return thrice(() => owner.call('PUT', `/administrators/${id}/record`, { body: { user, own: true } }))
    },
    async revokeAdministrator() {
      const { id } = await signed('admin')
      return thrice(() => owner.call('DELETE', `/administrators/${id}`))
    },
    async createAdminDomain() {
      const name = unique()
      return thrice(() => owner.call('POST', '/domains', { body: { name } }))
    },
    async changeAdminDomain() {
      const [name, ...domains] = [unique(), await domainNamed(unique()), await domainNamed(unique())]
      return domains.map((domain) => () => rename(domain, name))
    },
    async createOidcClient() {
      const { id } = await domainNamed(unique())
      const lists = { redirectUris: '[]', postLogoutRedirectUris: '[]', resources: '[]', scopes: '[]' }
      const kind = { kind: 'sign-in', authentication: 'none', native: 0, refreshTokens: 0 } as const
      const none = { secretHash: null, entra: null, ciba: null, jwks: null, jwksUri: null }
      const rows = Array.from({ length: 100 }, () => ({
        id: randomBytes(20).toString('hex'),
        domainId: id,
        name: 'Wiki',
        createdAt: 1,
        ...kind,
        ...lists,
        ...none,
      }))
      await running.ctx.store.db.insertInto('oidcClient').values(rows).execute()
      return thrice(() => owner.call('POST', `/domains/${id}/oidc-clients`, { body: publicClient }))
    },
    async changeOidcClient() {
      const { path: client } = await newOidcClient()
      const body = { authentication: 'private_key_jwt' }
      return thrice(() => owner.call('PUT', client, { body, headers: { 'if-match': '"1"' } }))
    },
    async rotateOidcSecret() {
      const { path: client } = await newOidcClient()
      return thrice(() => owner.call('POST', `${client}/secret`, { body: {} }))
    },
    setAdminDomainImage: async () => {
      const png = Buffer.from('no image').toString('base64')
      return thrice(() => owner.call('PUT', `/domains/${running.domain.id}/image`, { body: { png } }))
    },
    async createPersonBypassCode() {
      const { id, path } = await member(running)
      await fourCodes(path)
      return thrice(() => owner.call('POST', `/people/${id}/bypass-codes`, { body: { ...bypass, because } }))
    },
    async assignPersonHardware() {
      const { serialNumber } = await (await hardwareToken(running)).show()
      const people = [await member(running), await member(running), await member(running)]
      return people.map(
        ({ id }) =>
          () =>
            owner.call('POST', `/people/${id}/hardware`, { body: { because, serialNumber } }),
      )
    },
    async prepareBulkJob() {
      const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      await call('PUT', `/domains/${id}/users`, { body: Array.from({ length: 51 }, () => newUser(unique())) })
      const hal = await administrator(running, { role: 'helpdesk', domains: [id], email: `${unique()}@example.com` })
      return [...thrice(() => prepare()), () => prepare(hal)]
    },
    async startBulkJob() {
      const { json } = await prepare()
      return [
        ...thrice(() => owner.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: json.people } })),
        () => owner.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: json.people + 1 } }),
      ]
    },
    async sendEnrollmentMail() {
      const [{ id }, { id: withDevice }] = [await member(running, { email: null }), await personWithDevice(running)]
      const { id: moving } = await member(running, { email: 'before@example.com' })
      const send = (userId: string) => () =>
        owner.call('POST', `/people/${userId}/domains/${running.domain.id}/enrollment-mail`, { body: { because } })
      const move = () => call('PUT', `/users/${moving}`, { body: { email: 'after@example.com' } })
      return [...thrice(send(id)), send(withDevice), send(moving), send(moving), move]
    },
    async deleteStockToken() {
      const [{ id }, { path }] = [await hardwareToken(running), await member(running)]
      await call('PUT', `${path}/hardware/${id}`)
      return thrice(() => owner.call('POST', `/stock/${id}/delete`, { body: { because } }))
    },
    async importStock() {
      const [serial, other] = [unique(), await administrator(running, { role: 'owner' })]
      return [...thrice(() => importCsv(serial)), () => importCsv(serial, other)]
    },
    async denyConsent() {
      const path = await consented()
      return thrice(() => owner.call('POST', `${path}/deny`))
    },
    async giveConsent() {
      const path = await consented()
      return [...thrice(() => owner.call('POST', `${path}/give`)), () => owner.call('POST', `${path}/deny`)]
    },

    async createUser() {
      const name = unique()
      const similar = [`Name ${name}`, `NAME ${name}`, `name ${name}`]
      return [
        ...thrice(() => call('POST', '/users', { body: newUser(name) })),
        ...similar.map((username) => () => call('POST', '/users', { body: { ...newUser(username), provision: true } })),
      ]
    },
    async giveUpFactor() {
      const { id } = await personWithDevice(running)
      const body = { what: 'device', pass: await (await member(running)).pass() }
      return thrice(() => call('POST', `${inDomain({ id })}/factors/give-up`, { body }))
    },
    async forgetBrowser() {
      const [person, { publicKey }] = [await passkeyHolder(running), createBrowserKey()]
      await person.usePasskey({ redeem: { browser: { publicKey } } })
      const browsers = `${inDomain(person)}/browsers`
      const [keptBrowser] = (await call('POST', `${browsers}/list`, { body: {} })).json
      return thrice(() => call('DELETE', `${browsers}/${keptBrowser.id}`))
    },
    async forgetBrowsers() {
      const person = await member(running)
      return thrice(() => call('DELETE', `${inDomain(person)}/browsers?pass=${unknownId}`))
    },
    async issueFirstToken() {
      const person = await personWithDevice(running)
      return thrice(() => call('PUT', `${inDomain(person)}/token/first`))
    },
    async issueReplacement() {
      const person = await personWithDevice(running)
      const body = { pass: await (await member(running)).pass() }
      return thrice(() => call('PUT', `${inDomain(person)}/token/replacement`, { body }))
    },
    async redeemSession() {
      const [person, challenge] = [await member(running), random128()]
      const { json: code } = await call('POST', `${person.path}/bypasscodes`, { body: bypass })
      const { id } = await person.signIn({ challenge, bypasscode: code.code })
      return thrice(() => call('POST', `/domains/${running.domain.id}/sessions/${id}/redeem`, { body: { challenge } }))
    },
    async redeemApproval() {
      const [person, app, challenge] = [await approver(running), approvalsOf(running), random128()]
      const { json } = await app.ask({ user: { id: person.id }, challenge })
      await person.decide(json.id, 'approve')
      return [...thrice(() => app.redeem(json.id, challenge)), () => app.redeem(json.id, random128())]
    },
    async startApprovalByPasskey() {
      const { start, cancel } = await actionByPasskey()
      await cancel()
      return thrice(start)
    },
    async approveByPasskey() {
      const { approve, cancel } = await actionByPasskey()
      return [...thrice(approve), cancel]
    },
    async sendEmailCode() {
      const person = await member(running)
      return thrice(() => call('POST', `${inDomain(person)}/otp`, { body: { deliverableOTPType: 'EMAIL' } }))
    },
    async registerPasskey() {
      const person = await passkeyUser(running)
      const ceremony = { challenge: random128(), first: true }
      const started = await person.startRegistration(ceremony)
      const response = person.authenticator.make(started.json)
      return thrice(() => call('POST', person.passkeys, { body: { name: 'Laptop', ...ceremony, response } }))
    },
    async giveUpPasskey() {
      const { passkeys, passkey, pass } = await withPass()
      return thrice(() => call('POST', `${passkeys}/${passkey.id}/give-up`, { body: { pass } }))
    },
    async startPasskeyRegistration() {
      const { startRegistration } = await passkeyHolder(running)
      return [...thrice(() => startRegistration()), () => startRegistration({ pass: unknownId })]
    },
    async enrollHardwareToken() {
      const person = await member(running)
      return thrice(async () => (await person.enrollApp({ first: true })).answer)
    },
    async importSession() {
      const person = await member(running)
      const app = { seed: '31'.repeat(20), algorithm: 'SHA1', digits: 6, period: 30 } as const
      const body = { user: { id: person.id }, otp: codeAt(app, stepAt(running.clock.now(), 30)), factors: { app } }
      const bring = () => call('POST', `/domains/${running.domain.id}/sessions/import`, { body })
      return [...thrice(bring), async () => (await person.enrollApp({ first: true })).answer]
    },
    async createHardwareToken() {
      const body = { serialNumber: unique(), type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20) }
      return thrice(() => call('POST', '/hardware', { body }))
    },
    async assignHardwareToken() {
      const { id } = await hardwareToken(running)
      const people = [await member(running), await member(running), await member(running)]
      return people.map(
        ({ path }) =>
          () =>
            call('PUT', `${path}/hardware/${id}`),
      )
    },
    async replaceBypassCodes() {
      const person = await member(running)
      return thrice(() => call('PUT', `${inDomain(person)}/bypasscodes`, { body: { ...bypass, pass: unknownId } }))
    },
    async createBypassCode() {
      const { path } = await member(running)
      await fourCodes(path)
      return thrice(() => call('POST', `${path}/bypasscodes`, { body: bypass }))
    },
    rotateOidcKeys: () => changesOfSharedKeys('/oidc-provider/keys'),
    replaceOidcKeys: () => changesOfSharedKeys('/oidc-provider/keys/replace'),
  }

  /** All organizations of a service have the same signing keys, so nobody in one of several changes them. */
  async function changesOfSharedKeys(path: string) {
    await running.service.administration.createOrganization(unique())
    return thrice(() => owner.call('POST', path))
  }

  it('conflicting requests are tried with every operation that declares a conflict', () => {
    const names = [...adminOperations, ...operations].filter(({ endpoint }) => conflicting.has(endpoint))

    expect(Object.keys(scenarios).toSorted()).toEqual([...new Set(names.map(({ name }) => name))].toSorted())
  })

  it.each(Object.keys(scenarios))(
    '%s tells conflicting requests of the conflict, and answers none with an undeclared error',
    async (name) => {
      const requests = await scenarios[name]!()

      const answers = await Promise.all(requests.map((request) => request()))

      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
      // An administrator imports one file at a time.
      expect(answers.map(({ status }) => status)).toContain(name === 'importStock' ? 429 : 409)
    },
  )
})
