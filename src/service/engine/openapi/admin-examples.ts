import { switchDefaults } from '../../../contract/domains.ts'
import type { Example } from './example.ts'
import { creationOptions, passkey, registeredPasskey, requestOptions, usedPasskey } from './passkey-examples.ts'
import { userExample } from './user-example.ts'

/** Values of path parameters in the examples of the console. */
export const adminExampleParams = {
  administratorId: '9b'.repeat(20),
  invitationId: 'ac'.repeat(20),
  consentId: 'bd'.repeat(20),
  callerVerificationId: 'ca'.repeat(20),
  apiKeyId: 'be'.repeat(20),
  bulkJobId: 'c4'.repeat(20),
  oidcClientId: 'd7'.repeat(20),
} as const

const [domainId] = userExample.domains

const administrator = {
  id: adminExampleParams.administratorId,
  name: 'Hal Helpful',
  email: 'hal@example.com',
  role: 'helpdesk',
  domains: [domainId],
  user: null,
  namesakes: [],
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
const newPasskey = { response, name: passkey.name }
/** The answer of a browser to the sign-in page. */
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

const domainSettings = {
  id: domainId,
  name: 'Intranet',
  type: 'WEB',
  keyType: 'NONE',
  maxAllowedRetries: 5,
  requestTimeout: 90,
  activationCodeExpiration: 7,
  ...switchDefaults,
  numberMatching: 'offered',
  phishingResistant: 'off',
  version: 'T5bQm0sX9vJr3yWc8kLh2A',
}

const newOidcClient = {
  name: 'Wiki',
  kind: 'sign-in',
  authentication: 'client_secret_basic',
  native: false,
  pkce: 'required',
  redirectUris: ['https://wiki.example.com/callback'],
  postLogoutRedirectUris: ['https://wiki.example.com/'],
  jwks: null,
  jwksUri: null,
  resources: [],
  refreshTokens: false,
  entra: null,
  ciba: null,
  scopes: ['profile'],
}
const oidcClient = {
  id: adminExampleParams.oidcClientId,
  domain: domainId,
  ...newOidcClient,
  secret: true,
  formerSecretUntil: null,
  createdAt: 1795086400,
  version: 1,
}
const signingKey = {
  id: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
  state: 'signing',
  createdAt: 1794913600,
  signsFrom: 1795086400,
  publishedUntil: 1804072000,
}
const oidcProvider = {
  issuer: 'https://id.example.com',
  keys: [
    signingKey,
    {
      ...signingKey,
      id: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
      state: 'next',
      createdAt: 1802689600,
      signsFrom: 1802862400,
      publishedUntil: null,
    },
  ],
  changesKeys: true,
}
const clientSecret = 'Yp0mU3k9bD1xQ7vJ5sT8wZ2cF4hL6nR0gE_iA-oKuXM'

const apiKey = {
  id: adminExampleParams.apiKeyId,
  role: 'auth',
  domain: domainId,
  createdAt: 1795000000,
  usedAt: 1795086000,
}

const auditItem = {
  position: 4211,
  at: 1795086400,
  event: 'codes.unlocked',
  actor: { kind: 'administrator', id: adminExampleParams.administratorId },
  address: '203.0.113.7',
  facts: { user: '1d'.repeat(20) },
}

const auditVerification = {
  percent: null,
  last: { at: 1795086400, by: adminExampleParams.administratorId, name, entries: 4100, findings: 0 },
}

const { credentialId: _id, rpId: _rpId, ...ownPasskey } = usedPasskey

const because = 'lost_device'

const personSummary = {
  ...userExample,
  factors: ['passkey', 'push'],
  bypassCodes: 1,
  lastSignInAt: 1795086000,
}

const bypassCode = {
  id: '5b'.repeat(20),
  usesAllowed: 1,
  usesRemaining: 1,
  dtExpiry: '2026-11-23T08:00:00+0000',
  user: personSummary.id,
}

const { credentialId: _credential, ...shownPasskey } = usedPasskey

const person = {
  ...personSummary,
  everEnrolled: true,
  language: 'en',
  createdAt: 1795000000,
  elsewhere: false,
  version: 'b0Wq3TnY6mZs9aXvK1uEfA',
  enrollmentMails: [],
  links: 'mailed',
  tokens: [{ domain: domainId, keyType: 'PIN', state: 'active' }],
  passkeys: [shownPasskey],
  codes: [bypassCode],
  browsers: [{ domain: domainId, name: 'Firefox on Windows' }],
}

const stockToken = {
  id: '4c'.repeat(20),
  alias: 'HW-4c4c4c4c',
  serialNumber: 'A-100045',
  type: 'TOTP6',
  timeStep: '30s',
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  syncState: 'Never Used',
  createdAt: 1795000000,
}
const ofPerson = { id: personSummary.id, username: personSummary.username, name: personSummary.name }

const consent = {
  id: adminExampleParams.consentId,
  operation: 'createPersonBypassCode',
  person: { id: personSummary.id, username: personSummary.username, name: personSummary.name },
  parameters: { usesAllowed: 1, expirationTime: 1440 },
  domains: [{ id: domainId, name: 'Intranet' }],
  requestedBy: { id: administrator.id, name },
  because,
  state: 'pending',
  givable: true,
  deniable: true,
  createdAt: 1795086400,
  expiresAt: 1795087300,
}

const changed = { request: { because }, answer: person }
const callerVerification = {
  id: adminExampleParams.callerVerificationId,
  user: '5f'.repeat(20),
  domain: domainId,
  keyType: 'PIN',
  covers: [domainId],
  everywhere: true,
  administrator: administrator.id,
  state: 'pending',
  number: '47',
  createdAt: 1795086400,
  expiresAt: 1795086490,
  settledAt: null,
  standsUntil: null,
}

const bulkJob = {
  id: adminExampleParams.bulkJobId,
  action: 'remove_member',
  domain: domainId,
  because: 'left',
  state: 'prepared',
  requestedBy: { id: administrator.id, name },
  people: 812,
  done: 0,
  skipped: 0,
  failed: 0,
  leftOut: [{ reason: 'not_member', people: 14 }],
  createdAt: 1795086400,
}
const runningJob = { ...bulkJob, state: 'running', done: 240, skipped: 1, startedAt: 1795086460 }

const { number: _number, ...unnumbered } = callerVerification

/** One real exchange per operation of the console. A test checks them against the contract. */
export const adminExamples: Readonly<Record<string, Example>> = {
  startAdminRegistration: {
    request: { token },
    answer: { options: creation, invitation: { name, email, role, organization: 'Example Ltd' } },
  },
  finishAdminRegistration: { request: { token, ...newPasskey }, answer: session },
  startAdminSignIn: { answer: signIn },
  adminSignIn: { request: used, answer: session },
  getAdminSession: { answer: session },
  adminSignOut: {},
  startConfirmation: { answer: request },
  confirmAdmin: { request: used, answer: session },
  listAdminPasskeys: { answer: [ownPasskey] },
  startAdminPasskey: { answer: creation },
  addAdminPasskey: { request: newPasskey, answer: ownPasskey },
  deleteAdminPasskey: {},

  listAdministrators: { answer: [administrator] },
  getAdministrator: { answer: administrator },
  decideAdministratorRecord: {
    request: { user: '5f'.repeat(20), own: true },
    answer: { ...administrator, user: '5f'.repeat(20) },
  },
  changeAdministrator: { request: { role, domains }, answer: { ...administrator, version: 2 } },
  revokeAdministrator: {},
  listAdministratorSessions: {
    answer: [{ id: 'f3a09b7c51de', createdAt: 1795086400, usedAt: 1795087000, passedAt: 1795086400 }],
  },
  endAdministratorSessions: {},
  inviteAdministrator: { request: newInvitation, answer: { ...invitation, token } },
  listInvitations: { answer: [invitation] },
  withdrawInvitation: {},

  getOverview: {
    answer: {
      domains: [
        { domain: domainId, name: 'Intranet', members: 1200, enrolled: 1100, onlyEmail: 40, countedAt: 1795086400 },
      ],
      uncounted: [],
      signIns: [{ day: 1795046400, outcome: 'approved', factor: 'push', count: 940 }],
      locked: 2,
      waiting: 1,
      reported: 0,
      health: { nodes: [{ name: 'mfa-1', seenAt: 1795086400 }], keysAgree: true, mail: true, push: true },
    },
  },
  listAdminDomains: { answer: [{ ...domainSettings, members: 1204 }] },
  getAdminDomain: { answer: domainSettings },
  createAdminDomain: { request: { name: 'Intranet', type: 'WEB' }, answer: domainSettings },
  changeAdminDomain: { request: { requestTimeout: 90 }, answer: domainSettings },
  getAdminDomainImage: {},
  setAdminDomainImage: { request: { png: 'iVBORw0KGgo=' } },
  removeAdminDomainImage: {},
  listAdminApiKeys: { answer: [apiKey] },
  createAdminApiKey: {
    request: { role: 'auth', domain: domainId },
    answer: { ...apiKey, key: 'Kx9'.repeat(21) + 'K' },
  },
  revokeAdminApiKey: {},
  getOidcProvider: { answer: oidcProvider },
  listEveryOidcClient: { answer: [oidcClient] },
  rotateOidcKeys: { answer: oidcProvider },
  replaceOidcKeys: { answer: { ...oidcProvider, keys: oidcProvider.keys.slice(0, 1) } },
  listOidcClients: { answer: [oidcClient] },
  createOidcClient: { request: newOidcClient, answer: { ...oidcClient, clientSecret } },
  changeOidcClient: { request: { name: 'Handbook' }, answer: { ...oidcClient, name: 'Handbook', version: 2 } },
  rotateOidcSecret: {
    request: { overlap: 24 },
    answer: { ...oidcClient, formerSecretUntil: 1795172800, version: 2, clientSecret },
  },
  removeOidcClient: {},
  listAudit: {
    answer: { entries: [auditItem], names: { [adminExampleParams.administratorId]: name }, next: 4100, head: 4211 },
  },
  exportAuditCsv: { answer: 'time,event\r\n2026-11-19T12:26:40.000Z,codes.unlocked\r\n' },
  getAuditVerification: { answer: auditVerification },
  startAuditVerification: { answer: { ...auditVerification, percent: 0 } },
  exportAuditLines: { answer: `${JSON.stringify(auditItem)}\n` },
  searchPeople: { answer: { people: [personSummary], from: 1, total: { count: 812, more: false }, next: 51 } },
  getPerson: { answer: person },
  sendEnrollmentMail: {
    request: { because: 'new_device', days: 7 },
    answer: {
      ...person,
      tokens: [{ domain: domainId, keyType: 'PIN', state: 'pending' }],
      enrollmentMails: [{ domain: domainId, sentAt: 1795086400, expiresAt: 1795691200 }],
    },
  },
  showEnrollmentLink: {
    request: { because: 'new_device', days: 7 },
    answer: {
      link: 'https://mfa.example/authenticator/#code=kx7f3m9q2t',
      code: 'kx7f3m9q2t',
      expiresAt: 1795691200,
    },
  },
  changePersonEmail: {
    request: { because: 'other', email: 'alice.example@example.com' },
    answer: { ...person, email: 'alice.example@example.com', emailChangedAt: 1795086400 },
  },
  exportPeopleCsv: { answer: 'id,username,name\r\n1f1f,alice,Alice Example\r\n' },
  exportPeopleLines: { answer: `${JSON.stringify(personSummary)}\n` },
  prepareBulkJob: {
    request: { action: 'remove_member', domain: domainId, because: 'left', search: { filter: 'inactive' } },
    answer: bulkJob,
  },
  listBulkJobs: { answer: [runningJob] },
  getBulkJob: { answer: runningJob },
  startBulkJob: { request: { people: 812 }, answer: runningJob },
  cancelBulkJob: { answer: { ...runningJob, state: 'cancelled', finishedAt: 1795086500 } },
  exportBulkReport: { answer: 'id,username,name,outcome,reason\r\n1f1f,alice,Alice Example,done,\r\n' },
  listPersonTimeline: {
    answer: {
      waiting: [],
      entries: [
        {
          position: 4711,
          at: 1_790_000_100,
          event: 'bypass.created',
          actor: { kind: 'administrator', id: 'a1'.repeat(20) },
          facts: { because: 'lost_device', uses: 1, until: 1_790_086_500 },
        },
      ],
      names: { ['a1'.repeat(20)]: 'Olivia Owner' },
      next: '4711',
    },
  },
  unlockPerson: changed,
  endPersonSessions: { request: { because } },
  resetPerson: {
    ...changed,
    answer: { ...person, factors: [], tokens: [], passkeys: [], codes: [], browsers: [], bypassCodes: 0 },
  },
  issuePersonToken: { request: { because }, answer: { state: 'pending', code: 'kx7f3m9q2t' } },
  revokePersonToken: { ...changed, answer: { ...person, tokens: [] } },
  assignPersonHardware: { request: { because, serialNumber: 'A-100045' }, answer: person },
  releasePersonHardware: changed,
  createPersonBypassCode: {
    request: { because, usesAllowed: 1, expirationTime: 60 },
    answer: { ...bypassCode, code: '482915037' },
  },
  deletePersonBypassCodes: { ...changed, answer: { ...person, codes: [], bypassCodes: 0 } },
  deletePersonPasskey: { ...changed, answer: { ...person, passkeys: [], factors: ['push'] } },

  listStock: {
    answer: {
      tokens: [stockToken, { ...stockToken, id: 'f3'.repeat(20), serialNumber: 'A-100046', person: ofPerson }],
      from: 1,
      total: { count: 240, more: false },
      next: 51,
      changeable: true,
    },
  },
  importStock: {
    request: 'serial,seed,type,step\nHT-1001,3132333435363738393031323334353637383930,TOTP6,30\n',
    answer: {
      imported: 0,
      acceptable: 498,
      rejectedRows: 1,
      presentRows: 0,
      preview: [{ serialNumber: 'HT-1001', algorithm: 'SHA1', digits: 6, period: 30 }],
      rejected: [{ line: 12, code: 'seed', reason: 'seed: must be 32 to 128 hexadecimal digits' }],
    },
  },
  deleteStockToken: { request: { because: 'other' } },
  resynchronizePersonHardware: { request: { because: 'other', first: '287082', second: '359152' }, answer: person },

  requestConsent: {
    request: { operation: consent.operation, parameters: consent.parameters, because },
    answer: { ...consent, givable: false, deniable: false },
  },
  listConsents: { answer: [consent] },
  giveConsent: { answer: { ...consent, state: 'given', givable: false } },
  denyConsent: { answer: { ...consent, state: 'denied', givable: false, deniable: false } },
  verifyCaller: { answer: callerVerification },
  getCallerVerification: {
    answer: { ...unnumbered, state: 'confirmed', settledAt: 1795086430, standsUntil: 1795087030 },
  },
  drawQrCode: {
    request: { text: 'https://mfa.example/authenticator/#code=kx7f3m9q2t' },
    answer: { svg: '<svg viewBox="0 0 33 33" xmlns="http://www.w3.org/2000/svg"><path d="M2 2h7v7"/></svg>' },
  },
}
