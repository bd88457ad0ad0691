import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { openAppDomain } from '../../../../src/service/app-domain.ts'
import { revokeAdministrator } from '../../../../src/service/features/administrators/administration.ts'
import { importHardwareTokens } from '../../../../src/service/features/hardware/import.ts'
import { storeImported } from '../../../../src/service/features/imported-factors/store.ts'
import { exportFactors } from '../../../../src/service/features/people/factor-export.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { unlockUser } from '../../../../src/service/features/people/unlock.ts'
import type { AuditEntry } from '../../../../src/service/engine/audit/entry.ts'
import { auditEvents, eventNames } from '../../../../src/service/engine/audit/events.ts'
import type { EventName } from '../../../../src/service/engine/audit/events.ts'
import { recordMove } from '../../../../src/service/upkeep/move.ts'
import {
  addOidcClient,
  changeOidcClient,
  removeOidcClient,
  rotateOidcSecret,
} from '../../../../src/service/features/oidc/clients.ts'
import { verifyClientSecret } from '../../../../src/service/features/oidc/client-secrets.ts'
import { replaceSigningKeys, signingKeys } from '../../../../src/service/features/oidc/keys.ts'
import { recordOidcEvent } from '../../../../src/service/features/oidc/record.ts'
import { settleRestored } from '../../../../src/service/upkeep/restored.ts'
import { pruneAudit } from '../../../../src/service/engine/audit/retention.ts'
import { rotateKeys } from '../../../../src/service/upkeep/rotation.ts'
import { defaultImage } from '../../../../src/service/features/domains/image.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { createBrowserKey } from '../../../support/browser-key.ts'
import { createDeviceSigner, previewCode, random128 } from '../../../support/device-signer.ts'
import { administrator, inviteAt, origin } from '../../features/administrators/console-holder.ts'
import { askCaller, askedCaller, personWithDevice } from '../../features/callers/phone-caller.ts'
import { approvalsOf, approver, transfer } from '../../features/approvals/approving.ts'
import { passkeyHolder } from '../../features/passkeys/passkey-holder.ts'
import { browserUser } from '../../features/browsers/known-browser.ts'
import { hardwareToken, holder, member, unique } from '../../features/codes/code-holder.ts'
import { activateDevice, keysFor, newUser, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { loseEntries } from './lost-entries.ts'
import { entriesOf, openDatabase } from './recorded.ts'

let folder: string
let mail: MailServer
let running: Running
let node: OpenedService

/** Secrets known only to the parties that exchange them, and personal data. */
const secrets = new Set<string>()
const secretMembers =
  /^(code|otp|bypasscode|seed|secret|nonce|challenge|key|x|y|name|username|email|marker|alias|serialNumber)$/

const collect = (text: string) => {
  for (const part of [text, ...text.split('.').map((each) => Buffer.from(each, 'base64url').toString())]) {
    for (const [, name = '', value = ''] of part.matchAll(/"(\w+)":"([^"]{5,})"/g)) {
      if (secretMembers.test(name) && !/^[0-9a-f]{40}$|^api\.error/.test(value)) secrets.add(value)
    }
  }
}

/** Records everything sent over HTTP. */
function listenToFetch(): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    collect(typeof init?.body === 'string' ? init.body : '')
    collect(new Headers(init?.headers).get('authorization') ?? '')
    const response = await real(url, init)
    collect(await response.clone().text())
    return response
  })
}

beforeAll(async () => {
  listenToFetch()
  folder = mkdtempSync(join(tmpdir(), 'second-factor-audit-'))
  const database = join(folder, 'mfa.sqlite')
  mail = await startMailServer()
  const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
  running = await startService(
    { database, smtp, console: { url: origin }, authenticatorUrl: origin },
    { emailOtpEnabled: true },
  )
  node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await node.close()
  await running.close()
  await mail.close()
  rmSync(folder, { recursive: true })
})

const trail = () => entriesOf(node.ctx.store.db)

/** A user whose device has a pending request. */
async function asked(more: object = {}) {
  const person = await running.enroll(unique())
  const challenge = random128()
  const session = await person.ask({ challenge, ipAddress: '192.0.2.7', ...more })
  const [request] = await person.pending()
  const answer = (decision: string, different: object = {}) =>
    person.device.answer(session.id, { nonce: request!.nonce, decision }, different)
  return { ...person, challenge, session, answer, path: `${person.sessions}/${session.id}` }
}

/** A person who is asked to approve an action, and has answered, if a decision is given. */
async function askedToApprove(decision?: string) {
  const [person, app, challenge] = [await approver(running), approvalsOf(running), random128()]
  const ask = () => app.ask({ user: { id: person.id }, requestedBy: 'deploy script', challenge })
  const { json } = await ask()
  const { nonce } = (await person.waiting())[0]!
  // The trail has the digest of the content, and nothing that is in it.
  for (const word of [transfer.title, 'deploy script', nonce, ...transfer.details.map(({ value }) => value)])
    secrets.add(word)
  if (decision) await person.decide(json.id, decision)
  return { ...person, app, ask, approval: json.id as string, redeem: () => app.redeem(json.id, challenge) }
}

async function locked() {
  const person = await member(running)
  for (let tries = 0; tries < 10; tries += 1) await person.signIn({ otp: '000000' })
  return person
}

/** A user in a domain with PINs who mistypes the PIN. */
async function wrongPins(times: number): Promise<void> {
  const { id } = await administration().createDomain(running.organization.id, { name: unique(), keyType: 'PIN' })
  const { json: user } = await call('POST', '/users', { body: newUser(unique()) })
  await call('PUT', `/domains/${id}/users/${user.id}`)
  const { code } = (await call('PUT', `/domains/${id}/users/${user.id}/token`)).json
  const { device, pending } = await activateDevice(running.origin, running.clock, code, { pin: '4071' })
  await call('POST', `/domains/${id}/sessions`, { body: { user: { id: user.id } } })
  const [request] = await pending()
  const answer = { nonce: request!.nonce, decision: 'approve', pin: '0000' }
  for (let tries = 0; tries < times; tries += 1) await device.answer(request!.id, answer)
}

const console = () => ({ ...running, ctx: node.ctx })
const consoleOwner = () => administrator(console(), { role: 'owner' })

async function ofAnother(act: (mine: Awaited<ReturnType<typeof consoleOwner>>, path: string) => Promise<unknown>) {
  const { id } = await consoleOwner()
  await act(await consoleOwner(), `/administrators/${id}`)
}

/** An owner says whether a user is another administrator. */
async function decideRecord(own: boolean): Promise<void> {
  const { id: user } = await member(running)
  const { id } = await administrator(console(), { role: 'auditor', email: 'audrey@example.net' })
  await (await consoleOwner()).call('PUT', `/administrators/${id}/record`, { body: { user, own } })
}

/** The help desk asks for a consent, and another administrator answers. */
async function consent(answer?: 'give' | 'deny', isUsed = false): Promise<void> {
  // Ceremonies are limited by address.
  running.clock.skip(600)
  const domains = [running.domain.id]
  const { id } = await member(running)
  const asking = await administrator(console(), { role: 'helpdesk', domains, email: 'hal@example.net' })
  const body = { operation: 'resetPerson', because: 'test' }
  const { json } = await asking.call('POST', `/people/${id}/consents`, { body })
  const other = await administrator(console(), { role: 'owner', email: 'olivia@example.net' })
  if (answer) await other.call('POST', `/consents/${json.id}/${answer}`)
  if (isUsed) await asking.call('POST', `/people/${id}/reset`, { body: { because: 'test' } })
}

/** A question of the help desk, and how its device answers. */
async function askedByHelpDesk() {
  running.clock.skip(600)
  const person = await personWithDevice(running)
  return askedCaller(await consoleOwner(), person)
}

/** An owner sends or shows a link for enrollment. */
async function enrollmentLink(by: 'mail' | 'link'): Promise<void> {
  running.clock.skip(600)
  const { memberPath, id } = await member(running)
  const path = `/people/${id}${memberPath.replace(/\/users\/.*/, '')}/enrollment-${by}`
  await (await consoleOwner()).call('POST', path, { body: { because: 'test' } })
}

/** A job on one person. @param held Whether another process, which does nothing, has it for half a minute. */
async function startedJob({ held = false } = {}) {
  running.clock.skip(600)
  const { id } = await member(running)
  const by = await consoleOwner()
  const { json } = await by.call('POST', '/bulk-jobs', { body: { action: 'unlock', because: 'test', people: [id] } })
  if (held) {
    await node.ctx.store.db
      .updateTable('bulkJob')
      .set({ state: 'running', startedAt: running.clock.now(), holder: 'gone', heldUntil: running.clock.now() + 30 })
      .where('id', '=', json.id)
      .execute()
  } else await by.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: 1 } })
  return { by, path: `/bulk-jobs/${json.id}` }
}

const bypass = { usesAllowed: 1, expirationTime: 1 }
const { call, domainPath, administration } = {
  call: (...args: Parameters<Running['call']>) => running.call(...args),
  domainPath: () => `/domains/${running.domain.id}`,
  administration: () => running.service.administration,
}

/** Registers a client of the OpenID provider. */
async function withClient() {
  const key = { organizationId: running.organization.id, domainId: running.domain.id }
  const redirectUris = ['https://app.example.com/callback']
  const { client } = await addOidcClient(node.ctx, key, { name: unique(), kind: 'sign-in', redirectUris })
  return { ...key, id: client.id }
}

/** How to cause each event. The type requires every name. */
const happenings: Record<EventName, () => Promise<unknown>> = {
  'session.created': () => asked(),
  'session.approved': async () => (await asked()).answer('approve'),
  'session.denied': async () => (await asked()).answer('deny'),
  'session.reported': async () => (await asked()).answer('report'),
  async 'session.expired'() {
    await asked()
    await running.clock.advance(91)
    await sweep(node.ctx)
  },
  'session.cancelled': async () => call('DELETE', (await asked()).path),
  async 'session.redeemed'() {
    const { answer, path, challenge } = await asked()
    await answer('approve')
    await call('POST', `${path}/redeem`, { body: { challenge } })
  },
  async 'session.redeem_refused'() {
    const { path, challenge } = await asked()
    await call('POST', `${path}/redeem`, { body: { challenge } })
  },
  'approval.created': () => askedToApprove(),
  'approval.answered': () => askedToApprove('approve'),
  'approval.approved': () => askedToApprove('approve'),
  'approval.denied': () => askedToApprove('deny'),
  async 'approval.expired'() {
    await askedToApprove()
    await running.clock.advance(301)
    await sweep(node.ctx)
  },
  async 'approval.cancelled'() {
    const { app, approval } = await askedToApprove()
    await app.cancel(approval)
  },
  'approval.redeemed': async () => (await askedToApprove('approve')).redeem(),
  'approval.redeem_refused': async () => (await askedToApprove()).redeem(),
  'approval.refused': async () => (await askedToApprove('report')).ask(),
  'approval.requester_blocked': () => askedToApprove('report'),
  async 'approval.requester_unblocked'() {
    const { device } = await askedToApprove('report')
    const { blocks } = (await read(await device.get(devicePaths.blocks))).json
    await device.call(devicePaths.liftBlock(blocks[0].id))
  },
  'codes.locked': () => locked(),
  'codes.refused': async () => (await locked()).signIn({ otp: '000000' }),
  async 'codes.unlocked'() {
    const { id } = await locked()
    await unlockUser(node.ctx, { organizationId: running.organization.id, userId: id, domainIds: [running.domain.id] })
  },
  async 'push.throttled'() {
    const { ask } = await asked()
    for (let times = 0; times < 3; times += 1) await ask({ challenge: random128() })
  },
  async 'push.unlocked'() {
    const { user } = await asked()
    const organizationId = running.organization.id
    await unlockUser(node.ctx, { organizationId, userId: user.id, domainIds: [running.domain.id] })
  },
  async 'email_code.sent'() {
    const { id } = await member(running, { email: `${unique()}@example.com` })
    await call('POST', `${domainPath()}/users/${id}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
  },
  'token.issued': () => running.enroll(unique()),
  async 'token.revoked'() {
    const { user } = await running.enroll(unique())
    await call('DELETE', `${domainPath()}/users/${user.id}/token`)
  },
  async 'token.replacement_issued'() {
    const { user } = await running.enroll(unique())
    await call('PUT', `${domainPath()}/users/${user.id}/token/replacement`, { body: {} })
  },
  async 'token.replacement_withdrawn'() {
    const { user } = await running.enroll(unique())
    await call('PUT', `${domainPath()}/users/${user.id}/token/replacement`, { body: {} })
    await call('DELETE', `${domainPath()}/users/${user.id}/token/replacement`)
  },
  'activation.used': () => running.enroll(unique()),
  'activation.failed': () => previewCode(running.origin, 'abcdefghjk'),
  'activation.many_failed': () => guessing({ triesAlert: 1 }),
  'activation.suspended': () => guessing({ triesPerService: 1 }),
  async 'device.renamed'() {
    const { user } = await running.enroll(unique())
    await call('PUT', `${domainPath()}/users/${user.id}/token/device`, { body: { name: 'Phone' } })
  },
  async 'device.revoked'() {
    const { user } = await running.enroll(unique())
    await call('DELETE', `/users/${user.id}`)
  },
  'device.removed': async () => (await running.enroll(unique())).device.remove(),
  async 'device.replay_refused'() {
    const { answer } = await asked()
    const jti = random128()
    await answer('deny', { jti })
    await answer('deny', { jti })
  },
  async 'device.forgery_refused'() {
    const { signer, device } = await running.enroll(unique())
    const { privateKey } = await createDeviceSigner({ service: 'any', now: () => running.clock.now() })
    const path = '/device/remove'
    await device.post(path, await signer.sign({ htm: 'POST', path }, privateKey))
  },
  'pin.refused': () => wrongPins(1),
  'pin.exhausted': () => wrongPins(5),
  'user.created': () => call('POST', '/users', { body: newUser(unique()) }),
  async 'user.changed'() {
    const { path } = await member(running)
    await call('PUT', path, { body: { name: 'Other', email: 'other@example.com' } })
  },
  'user.deleted': async () => call('DELETE', (await member(running)).path),
  async 'user.reset'() {
    const { user } = await running.enroll(unique())
    await resetUser(node.ctx, { organizationId: running.organization.id, userId: user.id })
  },
  async 'user.sessions_ended'() {
    const { id } = await member(running)
    await call('POST', `${domainPath()}/users/${id}/epoch`, { body: {} })
  },
  async 'user.mail_reported'() {
    const address = `${unique()}@example.com`
    const { path } = await member(running, { email: address })
    await call('POST', `${path}/bypasscodes`, { body: bypass })
    const mine = () => mail.mails.find(({ to }) => to.includes(address))
    while (!mine()) await mail.arrival()
    const secret = /\/not-me\/(\S+)/.exec(mine()?.text ?? '')?.[1]
    await fetch(`${running.origin}/not-me/${secret}`, { method: 'POST', redirect: 'manual' })
  },
  'membership.added': () => member(running),
  'membership.removed': async () => call('DELETE', `${domainPath()}/users/${(await member(running)).id}`),
  async 'membership.synchronized'() {
    const { id } = await administration().createDomain(running.organization.id, { name: unique() })
    await call('PUT', `/domains/${id}/users`, { body: [newUser(unique()), newUser(unique())] })
  },
  'hardware.created': () => hardwareToken(running),
  async 'hardware.imported'() {
    const token = { type: 'TOTP6', timeStep: 30, serialNumber: unique(), seed: '00'.repeat(20) }
    await importHardwareTokens(node.ctx, running.organization.id, [[{ line: 1, token }]])
  },
  async 'factors.imported'() {
    const { id: userId } = await member(running)
    const place = { organizationId: running.organization.id, domainId: running.domain.id }
    const app = { seed: '0f'.repeat(20), algorithm: 'SHA1', digits: 6, period: 30 } as const
    const { ctx } = node
    await ctx.store.db
      .transaction()
      .execute((db) => storeImported(db, ctx, place, [{ userId, app, recovery: ['recovery'] }]))
  },
  async 'factors.batch_imported'() {
    const app = { seed: '1e'.repeat(20), algorithm: 'SHA1', digits: 6, period: 30 }
    const users = [
      { username: (await member(running)).username, app, recovery: ['recovery'] },
      { username: unique(), app },
    ]
    await call('POST', `/domains/${running.domain.id}/factors/import`, { body: { users, addUsers: true } })
  },
  'hardware.renamed': async () =>
    call('PUT', `/hardware/${(await hardwareToken(running)).id}`, { body: { alias: 'New' } }),
  'hardware.deleted': async () => call('DELETE', `/hardware/${(await hardwareToken(running)).id}`),
  'hardware.enrolled': async () => (await member(running)).enrollApp(),
  'hardware.assigned': () => holder(running),
  async 'hardware.resynchronized'() {
    const { id, token } = await holder(console())
    const body = { because: 'test', first: token.code(9), second: token.code(10) }
    await (await consoleOwner()).call('POST', `/people/${id}/hardware/resynchronize`, { body })
  },
  'enrollment.mailed': () => enrollmentLink('mail'),
  'enrollment.link_shown': () => enrollmentLink('link'),
  'hardware.released': async () => call('DELETE', `${(await holder(running)).path}/hardware`),
  'passkey.added': () => passkeyHolder(running),
  async 'passkey.renamed'() {
    const { passkeys, passkey } = await passkeyHolder(running)
    await call('PUT', `${passkeys}/${passkey.id}`, { body: { name: unique() } })
  },
  async 'passkey.removed'() {
    const { passkeys, passkey } = await passkeyHolder(running)
    await call('DELETE', `${passkeys}/${passkey.id}`)
  },
  async 'passkey.counter_regressed'() {
    const { usePasskey } = await passkeyHolder(running)
    await usePasskey({}, { counter: 7 })
    await usePasskey({}, { counter: 7 })
  },
  'bypass.created': async () => call('POST', `${(await member(running)).path}/bypasscodes`, { body: bypass }),
  async 'bypass.deleted'() {
    const { path } = await member(running)
    const { json } = await call('POST', `${path}/bypasscodes`, { body: bypass })
    await call('DELETE', `/bypasscodes/${json.id}`)
  },
  async 'bypass.all_deleted'() {
    const { path } = await member(running)
    await call('POST', `${path}/bypasscodes`, { body: bypass })
    await call('DELETE', `${path}/bypasscodes`)
  },
  'browser.known': async () => (await browserUser(running)).pass(),
  async 'browser.kept'() {
    const owner = await passkeyHolder(running)
    await owner.usePasskey({ redeem: { browser: createBrowserKey() } })
  },
  'browser.remembered': async () => (await browserUser(running)).pass({ rememberDays: 30 }),
  async 'browser.forgotten'() {
    const person = await browserUser(running)
    await person.pass({ rememberDays: 30 })
    const [browser] = (await call('POST', `${person.browsers}/list`, { body: {} })).json
    await call('DELETE', `${person.browsers}/${browser.id}`)
  },
  'browsers.forgotten': async () => call('DELETE', `${domainPath()}/users/${(await member(running)).id}/browsers`),
  'organization.created': () => administration().createOrganization(unique()),
  async 'organization.renamed'() {
    await openAppDomain(node.ctx, { app: unique() })
    await openAppDomain(node.ctx, { app: unique() })
  },
  'domain.created': () => administration().createDomain(running.organization.id, { name: unique() }),
  'domain.changed': () =>
    administration().setDomain(running.organization.id, running.domain.id, { requestTimeout: 90, name: unique() }),
  'domain.emergency': () => call('POST', `${domainPath()}/emergencies`, { body: { until: 1_795_007_200 } }),
  'domain.image_set': () => administration().setDomainImage(running.organization.id, running.domain.id, image()),
  async 'domain.image_removed'() {
    await administration().setDomainImage(running.organization.id, running.domain.id, image())
    await administration().removeDomainImage(running.organization.id, running.domain.id)
  },
  'api_key.created': () => administration().createApiKey(running.organization.id),
  async 'api_key.revoked'() {
    const { id } = await administration().createOrganization(unique())
    await administration().createApiKey(id)
    const [key] = await administration().apiKeys(id)
    await administration().revokeApiKey(id, key!.id)
  },
  'api_key.refused': () => fetch(`${running.origin}/api/organization`),
  'caller.asked': () => askedByHelpDesk(),
  'caller.confirmed': async () => (await askedByHelpDesk()).confirm(),
  'caller.denied': async () => (await askedByHelpDesk()).answer('deny'),
  async 'caller.throttled'() {
    running.clock.skip(600)
    const [by, person] = [await consoleOwner(), await personWithDevice(running)]
    for (let tries = 0; tries < 3; tries += 1) await askCaller(by, person)
  },
  'administrator.invited': () => inviteAt(console(), { role: 'owner' }),
  async 'administrator.invitation_withdrawn'() {
    await inviteAt(console(), { role: 'owner' })
    const { call: ask } = await consoleOwner()
    const [{ id }] = (await ask('GET', '/invitations')).json
    await ask('DELETE', `/invitations/${id}`)
  },
  'administrator.registered': () => consoleOwner(),
  'administrator.signed_in': async () => (await consoleOwner()).signIn(),
  'administrator.confirmed': async () => (await consoleOwner()).confirm(),
  'administrator.sign_in_refused': async () => (await consoleOwner()).signIn({ uv: false }),
  'administrator.signed_out': async () => (await consoleOwner()).call('DELETE', '/session'),
  'administrator.sessions_ended': () => ofAnother((mine, path) => mine.call('DELETE', `${path}/sessions`)),
  'administrator.changed': () =>
    ofAnother((mine, path) => mine.call('PUT', path, { body: { role: 'auditor' }, headers: { 'if-match': '"1"' } })),
  'administrator.record_linked': () => decideRecord(true),
  'administrator.record_denied': () => decideRecord(false),
  'administrator.revoked': () => ofAnother((mine, path) => mine.call('DELETE', path)),
  'administrator.passkey_added': async () => (await consoleOwner()).addPasskey(),
  async 'administrator.passkey_removed'() {
    const { addPasskey, call: ask } = await consoleOwner()
    const { json } = await addPasskey()
    await ask('DELETE', `/passkeys/${json.id}`)
  },
  'consent.requested': () => consent(),
  'consent.given': () => consent('give'),
  'consent.denied': () => consent('deny'),
  'consent.used': () => consent('give', true),
  async 'administrator.passkey_counter_regressed'() {
    const { signIn } = await consoleOwner()
    await signIn({ counter: 7 })
    await signIn({ counter: 7 })
  },
  'oidc.client_added': () => withClient(),
  async 'oidc.client_changed'() {
    await changeOidcClient(node.ctx, await withClient(), { name: unique() })
  },
  async 'oidc.client_secret_rotated'() {
    await rotateOidcSecret(node.ctx, await withClient(), 0)
  },
  async 'oidc.client_removed'() {
    await removeOidcClient(node.ctx, await withClient())
  },
  async 'oidc.secret_refused'() {
    const { id } = await withClient()
    await verifyClientSecret(node.ctx, { clientId: id, secret: 'wrong', address: '192.0.2.1' })
  },
  async 'oidc.signed_in'() {
    const { id } = await withClient()
    const { user } = await running.enroll(unique())
    await recordOidcEvent(node.ctx, { event: 'signed_in', clientId: id, userId: user.id, amr: ['swk'] })
  },
  async 'oidc.refused'() {
    const { id } = await withClient()
    await recordOidcEvent(node.ctx, { event: 'refused', clientId: id, reason: 'access_denied' })
  },
  'oidc.key_added': () => signingKeys(node.ctx, 1),
  'oidc.keys_replaced': () => replaceSigningKeys(node.ctx),
  async 'keys.rotated'() {
    await rotateKeys(node.ctx, { waiting: () => void setImmediate(() => void running.clock.advance(60)) })
  },
  'database.restored': () => settleRestored(node.ctx, []),
  'database.moved': () => node.ctx.store.db.transaction().execute((db) => recordMove(db, node.ctx, 1)),
  async 'database.loss_noticed'() {
    await loseEntries(node.ctx, 1)
  },
  'audit.pruned': () => pruneAudit(node.ctx, running.clock.now() + 1),
  async 'audit.suppressed'() {
    for (let tries = 0; tries < 20; tries += 1) await previewCode(running.origin, 'abcdefghjk')
    await running.clock.advance(61)
    await previewCode(running.origin, 'abcdefghjk')
  },
  async 'audit.verified'() {
    const { call: ask } = await consoleOwner()
    await ask('POST', '/audit/verification')
    await vi.waitFor(async () => expect((await ask('GET', '/audit/verification')).json.percent).toBeNull())
  },
  'people.exported': async () => (await consoleOwner()).call('GET', '/exports/people.csv?filter=locked'),
  async 'factors.exported'() {
    await holder(running)
    const { organization, domain } = running
    await exportFactors(node.ctx, { organization, domain }, async (lines) => {
      for await (const line of lines) secrets.add(JSON.parse(line).otpauth)
    })
  },
  async 'bulk.previewed'() {
    await startedJob()
  },
  async 'bulk.started'() {
    await startedJob()
  },
  async 'bulk.finished'() {
    const { path, by } = await startedJob()
    await vi.waitFor(async () => expect((await by.call('GET', path)).json.state).toBe('done'))
  },
  async 'bulk.report_exported'() {
    const { path, by } = await startedJob()
    await by.call('GET', `${path}/report.csv`)
  },
  async 'bulk.cancelled'() {
    const { path, by } = await startedJob({ held: true })
    await by.call('POST', `${path}/cancel`)
  },
  async 'bulk.stopped'() {
    const { path, by } = await startedJob({ held: true })
    await revokeAdministrator(node.ctx, { organizationId: running.organization.id, id: by.id })
    running.clock.skip(600)
    const other = await consoleOwner()
    await vi.waitFor(async () => expect((await other.call('GET', path)).json.state).toBe('stopped'))
  },
  'audit.exported': async () => (await consoleOwner()).call('GET', '/audit/entries.csv?event=codes.unlocked'),
}

const image = () => defaultImage().bytes

/** Two wrong activation codes at a node of the same service that allows no more. */
async function guessing(limits: object): Promise<void> {
  const database = join(folder, 'mfa.sqlite')
  const strict = await startService({ database, clock: running.clock, limits })
  for (let tries = 0; tries < 2; tries += 1) await previewCode(strict.origin, 'abcdefghjk')
  await strict.close()
}

/** Returns the entries that were added meanwhile. */
async function newEntries(act: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await trail()).map(({ hash }) => hash))
  await act()
  return (await trail()).filter(({ hash }) => !before.has(hash))
}

const written: string[] = []

describe('the audit trail records', () => {
  it.each(eventNames.map((name) => [name]))(
    'the audit trail records %s with the facts of that event, and no others',
    async (name) => {
      const entries = await newEntries(happenings[name])

      written.push(JSON.stringify(entries))
      const matchingEntries = entries.filter(({ event }) => event === name)
      expect(matchingEntries.length).toBeGreaterThan(0)
      for (const { facts, hash, at } of matchingEntries) {
        // Why an administrator of the console acted stands beside the facts of the event.
        const { because: _because, ...declared } = facts
        expect(Object.keys(declared).toSorted()).toEqual([...auditEvents[name]].toSorted())
        expect(hash).toMatch(/^[0-9a-f]{64}$/)
        expect(at).toBeLessThanOrEqual(running.clock.now())
      }
    },
  )
})

describe('the audit trail of all these events', () => {
  it('the audit trail contains no code, key, seed, nonce, name or e-mail address', () => {
    // Mails about changes of factors carry no code.
    for (const { code } of mail.mails) if (code !== '') secrets.add(code)
    secrets.add(running.apiKey)

    const text = written.join('\n')

    expect(secrets.size).toBeGreaterThan(100)
    // Hashes and ids contain the digits of some code by chance.
    const contains = (secret: string) =>
      /^\d+$/.test(secret) ? new RegExp(`(?<![\\da-f])${secret}(?![\\da-f])`).test(text) : text.includes(secret)
    expect([...secrets].filter(contains)).toEqual([])
  })
})
