import type { Example } from './examples.ts'
import { creationOptions, passkey, registeredPasskey, requestOptions, usedPasskey } from './passkey-examples.ts'

/** Values of path parameters in the examples of the console. */
export const adminExampleParams = {
  administratorId: '9b'.repeat(20),
  invitationId: 'ac'.repeat(20),
} as const

const domainId = '2e'.repeat(20)

const administrator = {
  id: adminExampleParams.administratorId,
  name: 'Hal Helpful',
  email: 'hal@example.com',
  role: 'helpdesk',
  domains: [domainId],
  user: null,
  createdAt: 1795000000,
  lastSeenAt: 1795086400,
  revokedAt: null,
  version: 1,
}

const session = {
  administrator,
  organization: { id: '0d'.repeat(20), name: 'Example Ltd' },
  domains: [{ id: domainId, name: 'Intranet' }],
  freshUntil: 1795086700,
  idleUntil: 1795088200,
  endsAt: 1795115200,
}

const { name, email, role, domains, user } = administrator
const newInvitation = { name, email, role, domains }
const invitation = {
  id: adminExampleParams.invitationId,
  ...newInvitation,
  user,
  createdAt: 1795086400,
  expiresAt: 1795088200,
}

const token = 'uE1kXn0v4iYy8mQ2sC7oPbT5wZrLhJ3gF6dA9eKqVxM'

const rpId = 'console.example.com'
const creation = {
  ...creationOptions,
  rp: { id: rpId, name: rpId },
  user: { id: 'Jx9vEjRWeJCrze8SNFZ4kAq83vEjRWeJCrze8SNFZ4k', name: email, displayName: name },
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
}
const request = { ...requestOptions, rpId, userVerification: 'required' }
const signIn = { ...request, allowCredentials: [] }

const { response } = registeredPasskey
const made = { response, name: passkey.name }
/** As a browser gives it to the page of the sign-in. */
const used = {
  response: {
    id: response.id,
    rawId: response.rawId,
    type: 'public-key',
    response: {
      clientDataJSON: response.response.clientDataJSON,
      authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
      signature: 'MEUCIQDTGVxhrPVSEKTWcQ2bqS7bJOYzyD0ZzrYCWq8HFAnCzgIgRWPzVKyO9VWgWNcxJDE6YkcBX0Rmnyr6Zcx8bmWJbCw',
      userHandle: creation.user.id,
    },
  },
}

const auditItem = {
  position: 4211,
  at: 1795086400,
  event: 'codes.unlocked',
  actor: { kind: 'administrator', id: adminExampleParams.administratorId },
  address: '203.0.113.7',
  facts: { user: '1d'.repeat(20) },
}

const { credentialId: _id, rpId: _rpId, ...ownPasskey } = usedPasskey

/** One real exchange per operation of the console. A test checks them against the contract. */
export const adminExamples: Readonly<Record<string, Example>> = {
  startAdminRegistration: {
    request: { token },
    answer: { options: creation, invitation: { name, email, role, organization: 'Example Ltd' } },
  },
  finishAdminRegistration: { request: { token, ...made }, answer: session },
  startAdminSignIn: { answer: signIn },
  adminSignIn: { request: used, answer: session },
  getAdminSession: { answer: session },
  adminSignOut: {},
  startConfirmation: { answer: request },
  confirmAdmin: { request: used, answer: session },
  listAdminPasskeys: { answer: [ownPasskey] },
  startAdminPasskey: { answer: creation },
  addAdminPasskey: { request: made, answer: ownPasskey },
  deleteAdminPasskey: {},

  listAdministrators: { answer: [administrator] },
  getAdministrator: { answer: administrator },
  changeAdministrator: { request: { role, domains }, answer: { ...administrator, version: 2 } },
  revokeAdministrator: {},
  listAdministratorSessions: {
    answer: [{ id: 'f3a09b7c51de', createdAt: 1795086400, usedAt: 1795087000, passedAt: 1795086400 }],
  },
  endAdministratorSessions: {},
  inviteAdministrator: { request: newInvitation, answer: { ...invitation, token } },
  listInvitations: { answer: [invitation] },
  withdrawInvitation: {},

  listAudit: {
    answer: { entries: [auditItem], names: { [adminExampleParams.administratorId]: name }, next: 4100, head: 4211 },
  },
  exportAuditCsv: { answer: 'time,event\r\n2026-11-19T12:26:40.000Z,codes.unlocked\r\n' },
  exportAuditLines: { answer: `${JSON.stringify(auditItem)}\n` },
}
