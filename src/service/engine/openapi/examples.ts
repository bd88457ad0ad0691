import { switchDefaults } from '../../../contract/domains.ts'
import { adminExampleParams } from './admin-examples.ts'
import {
  answeredByPasskey,
  approvalRequestOptions,
  approvedAction,
  approvedByPasskey,
  newApproval,
  pendingApproval,
  receiptKey,
  redeemedApproval,
  startedByPasskey,
} from './approval-examples.ts'
import {
  creationOptions,
  passkey,
  registeredPasskey,
  passkeyAnswer,
  requestOptions,
  startedAuthentication,
  startedRegistration,
  usedPasskey,
} from './passkey-examples.ts'
import { userExample } from './user-example.ts'
import type { Example } from './example.ts'

/** Values of path parameters in the examples. */
export const exampleParams = {
  userId: userExample.id,
  domainId: userExample.domains[0],
  sessionId: '3d'.repeat(20),
  hardwareTokenId: '4c'.repeat(20),
  bypassCodeId: '5b'.repeat(20),
  browserId: '7f'.repeat(20),
  passkeyId: passkey.id,
  approvalId: pendingApproval.id,
  ...adminExampleParams,
} as const

const { userId, domainId, sessionId, hardwareTokenId, bypassCodeId } = exampleParams

const challenge = 'q83vEjRWeJCrze8SNFZ4kA'

const epoch = 'q3pXb0y2sVn8cT1mLr5wZA'

const user = {
  ...userExample,
  hardware: hardwareTokenId,
  bypasscodes: [bypassCodeId],
  factors: ['passkey', 'push', 'otp', 'bypass'],
  passkeys: [passkey.rpId],
  phishingResistant: { [domainId]: 'prefer' },
  everEnrolled: true,
  hadBypassCodes: true,
  importState: 'closed',
  epoch,
  language: 'en',
  timeZone: 'Europe/Berlin',
}

const domain = {
  id: domainId,
  name: 'Intranet',
  type: 'WEB',
  keyType: 'NONE',
  maxAllowedRetries: 5,
  requestTimeout: 90,
  activationCodeExpiration: 7,
  ...switchDefaults,
  numberMatching: 'offered',
  phishingResistant: 'prefer',
  synchronizationVersion: 12,
}

const newSession = {
  user: { username: 'alice' },
  attributes: [{ key: 'Browser', value: 'Firefox on Linux' }],
  ipAddress: '203.0.113.7',
  numberMatching: true,
  challenge,
  purpose: 'sign_in',
}

const pending = {
  id: sessionId,
  state: 'pending',
  purpose: 'sign_in',
  number: '47',
  scanSecret: 'q0l3ZkYtVh2mJ8rXc5TnBw',
  createdAt: 1795000000,
  expiresAt: 1795000090,
}

const approved = {
  id: sessionId,
  state: 'approved',
  factor: 'push',
  factorId: '6a'.repeat(20),
  purpose: 'sign_in',
  createdAt: 1795000000,
  expiresAt: 1795000090,
  settledAt: 1795000012,
}

const hardware = {
  id: hardwareTokenId,
  alias: 'HW-4c4c4c4c',
  serialNumber: '3-1415926',
  type: 'TOTP6',
  timeStep: '30s',
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  syncState: 'Never Used',
  user: '',
  createdAt: 1795000000,
}

const assigned = { ...hardware, syncState: 'Synchronized', user: userId, lastUsedAt: 1795086390 }

const bypassCode = {
  id: bypassCodeId,
  code: '271828182',
  usesAllowed: 5,
  usesRemaining: 5,
  dtExpiry: '2026-12-24T18:00:00+0000',
  user: userId,
}

/** The id of a browser in its cookie. */
const cookieId = 'yLq0hP2bS1m9uV4cT7dX3g'

const newUser = { username: 'alice', name: 'Alice Example', email: 'alice@example.com' }

/** Examples by operation name. */
export const examples: Readonly<Record<string, Example>> = {
  createUser: {
    request: newUser,
    answer: {
      ...user,
      domains: [],
      hardware: '',
      bypasscodes: [],
      factors: [],
      passkeys: [],
      phishingResistant: {},
      everEnrolled: false,
      hadBypassCodes: false,
      importState: 'open',
      epoch: userId,
    },
  },
  findUsers: { answer: user },
  getUser: { answer: user },
  updateUser: { request: { name: 'Alice Exemplary' }, answer: { ...user, name: 'Alice Exemplary' } },
  deleteUser: {},
  endUserSessions: { request: { epoch }, answer: { epoch } },

  getDomain: { answer: domain },
  noteEmergency: { request: { until: 1795007200 } },
  addMember: {},
  getMember: { answer: user },
  listMembers: { answer: [user] },
  removeMember: {},
  synchronizeMembers: {
    request: [newUser, { username: 'bob', name: 'Bob Example', email: 'bob at example.com' }],
    answer: {
      unused: 1,
      rows: [{ row: 1, field: 'email', message: 'must be an e-mail address such as alice@example.com' }],
    },
  },
  getDomainImage: {},

  issueToken: { answer: { state: 'pending', code: 'k3v9m2p7qx' } },
  getToken: {
    answer: {
      state: 'active',
      device: {
        id: '6a'.repeat(20),
        name: 'Firefox on Android',
        createdAt: 1795000000,
        lastUsedAt: 1795086400,
        lastUsedPlace: 'Lyon, France',
      },
    },
  },
  renameDevice: { request: { name: "Alice's phone" } },
  revokeToken: {},
  issueFirstToken: { answer: { state: 'pending', code: 'k3v9m2p7qx' } },
  issueReplacement: { request: { pass: sessionId }, answer: { code: 'w8r4t6y2ab', expiresAt: 1795604800 } },
  withdrawReplacement: {},
  giveUpFactor: { request: { what: 'device', pass: sessionId } },

  getChangeRequirement: { answer: { factors: ['push', 'otp'], passed: false } },

  createSession: { request: newSession, answer: pending },
  importSession: {
    request: {
      user: { username: 'alice' },
      otp: '287082',
      challenge,
      redeem: { browser: {} },
      factors: {
        app: { seed: '3132333435363738393031323334353637383930', algorithm: 'SHA1', digits: 6, period: 30 },
        recovery: ['4fgh-82kq'],
      },
    },
    answer: { ...approved, factor: 'otp', factorId: hardwareTokenId, epoch },
  },
  getSession: { answer: approved },
  listPendingSessions: {
    answer: [
      {
        id: sessionId,
        purpose: 'sign_in',
        attributes: newSession.attributes,
        createdAt: 1795000000,
        expiresAt: 1795000090,
      },
    ],
  },
  cancelSession: {},
  redeemSession: {
    request: { challenge, browser: { rememberDays: 30 } },
    answer: { ...approved, epoch, browser: { id: cookieId, expiresAt: 1810552010, rememberedUntil: 1797592010 } },
  },
  watchSessions: { answer: { id: sessionId } },
  sendEmailCode: { request: { deliverableOTPType: 'EMAIL' } },

  startPasskeyRegistration: { request: startedRegistration, answer: creationOptions },
  registerPasskey: { request: registeredPasskey, answer: passkey },
  listPasskeys: { answer: [usedPasskey] },
  renamePasskey: { request: { name: "Alice's laptop" }, answer: { ...usedPasskey, name: "Alice's laptop" } },
  deletePasskey: {},
  giveUpPasskey: { request: { pass: sessionId } },
  startPasskeyAuthentication: { request: startedAuthentication, answer: requestOptions },
  startPasskeySignIn: {
    request: { rp: startedAuthentication.rp, challenge },
    answer: { ...requestOptions, userVerification: 'required', allowCredentials: [] },
  },
  createPasskeySession: {
    request: { rp: startedAuthentication.rp, challenge, response: passkeyAnswer },
    answer: {
      ...approved,
      factor: 'passkey',
      factorId: passkey.id,
      userVerified: true,
      user: { id: userId, username: 'alice' },
    },
  },

  createHardwareToken: {
    request: {
      serialNumber: '3-1415926',
      type: 'TOTP6',
      timeStep: '30',
      seed: '3132333435363738393031323334353637383930',
    },
    answer: hardware,
  },
  enrollHardwareToken: {
    request: {
      type: 'TOTP6',
      timeStep: 30,
      seed: '3132333435363738393031323334353637383930',
      otp: '287082',
      first: true,
    },
    answer: {
      ...assigned,
      alias: 'Authenticator app',
      serialNumber: 'APP-4c4c4c4c4c4c4c4c',
      selfEnrolled: true,
    },
  },
  listHardwareTokens: { answer: [hardware] },
  getHardwareToken: { answer: hardware },
  updateHardwareToken: { request: { alias: "Alice's key" }, answer: { ...hardware, alias: "Alice's key" } },
  deleteHardwareToken: {},
  assignHardwareToken: {},
  getHardwareTokenOfUser: { answer: assigned },
  releaseHardwareToken: {},

  importFactors: {
    request: {
      users: [
        {
          username: 'alice',
          app: { seed: '3132333435363738393031323334353637383930', algorithm: 'SHA1', digits: 6, period: 30 },
          recovery: ['4fgh-82kq', { sha256: 'ab'.repeat(32) }],
        },
        { username: 'bob', app: { seed: '0f'.repeat(10), algorithm: 'SHA256', digits: 8, period: 60 } },
      ],
    },
    answer: { users: [{ outcome: 'stored' }, { outcome: 'rejected', reason: 'unknown_user' }], shortSeeds: 0 },
  },

  createBypassCode: { request: { usesAllowed: '5', expirationTime: '1440' }, answer: bypassCode },
  replaceBypassCodes: {
    request: { usesAllowed: 1, expirationTime: 0, pass: sessionId },
    answer: [{ ...bypassCode, usesAllowed: 1, usesRemaining: 1, dtExpiry: '9999-12-31T23:59:59+0000' }],
  },
  listBypassCodes: { answer: [bypassCode] },
  getBypassCode: { answer: bypassCode },
  deleteBypassCodes: {},
  deleteBypassCode: {},

  recognizeBrowser: {
    request: { browser: cookieId },
    answer: { expiresAt: 1810552000, rememberedUntil: 1797592000 },
  },
  listBrowsers: {
    request: { browser: cookieId },
    answer: [
      {
        id: exampleParams.browserId,
        name: 'Firefox · Android',
        knownSince: 1795000000,
        lastUsedAt: 1795086400,
        rememberedUntil: 1797592000,
        keptSince: 1795000000,
        keptUntil: 1802776000,
        place: 'Lyon, France',
        current: true,
      },
    ],
  },
  forgetBrowser: {},
  forgetBrowsers: {},
  readPauses: { request: { browser: cookieId }, answer: { push: { until: 1795000600 }, codes: {} } },

  createApproval: { request: newApproval, answer: pendingApproval },
  listApprovals: { answer: { approvals: [redeemedApproval] } },
  getApproval: { answer: approvedAction },
  cancelApproval: {},
  redeemApproval: { request: { challenge }, answer: redeemedApproval },
  watchApprovals: { answer: { id: pendingApproval.id } },
  startApprovalByPasskey: { request: startedByPasskey, answer: approvalRequestOptions },
  approveByPasskey: { request: answeredByPasskey, answer: approvedByPasskey },
  getApprovalKeys: { answer: { keys: [receiptKey] } },

  getOrganization: { answer: { name: 'Example Ltd' } },
  ping: { answer: { status: 'OK' } },
}
