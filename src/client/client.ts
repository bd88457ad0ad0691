import type { NewApproval } from '../contract/approvals.ts'
import * as approvals from '../contract/approvals.ts'
import * as browsers from '../contract/browsers.ts'
import type { UnknownBrowser } from '../contract/browser-key.ts'
import type { NewBypassCode, ReplacedBypassCodes } from '../contract/bypass-codes.ts'
import * as bypassCodes from '../contract/bypass-codes.ts'
import type { Domain } from '../contract/domains.ts'
import * as domains from '../contract/domains.ts'
import type { Endpoint, EndpointInput, Version } from '../contract/endpoint.ts'
import type { ChangedFactor } from '../contract/factors.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import * as factorImport from '../contract/factor-import.ts'
import type { ImportedUser } from '../contract/factor-import.ts'
import * as factors from '../contract/factors.ts'
import type { EnrolledHardwareToken, NewHardwareToken } from '../contract/hardware.ts'
import * as hardware from '../contract/hardware.ts'
import * as organization from '../contract/organization.ts'
import type {
  RegisteredPasskey,
  PasskeySignIn,
  StartedAuthentication,
  StartedRegistration,
  StartedSignIn,
} from '../contract/passkeys.ts'
import * as passkeys from '../contract/passkeys.ts'
import type { RequestedPhishingResistance } from '../contract/phishing-resistance.ts'
import type { ImportingSession, NewSession, PassedBrowser } from '../contract/sessions.ts'
import * as sessions from '../contract/sessions.ts'
import * as tokens from '../contract/tokens.ts'
import type { CreatedUser, NewUser, User, UserField } from '../contract/users.ts'
import * as users from '../contract/users.ts'
import { UnreachableError } from './errors.ts'
import { listPages } from './list-pages.ts'
import type { ClientOptions } from './options.ts'
import { resolveClientOptions } from './options.ts'
import type { Bytes } from './read-response.ts'
import type { CallOptions } from './send.ts'
import type { Transport } from './transport.ts'
import { createSettledStreams } from './settled-stream.ts'
import { createTransport } from './transport.ts'
import type { WaitOptions } from './wait.ts'
import { waitForApproval, waitForSession, waitUntilSettled } from './wait.ts'

/** Extra time to synchronize a hundred thousand users, ms. */
const synchronizationTime = 120_000
/** Extra time to redeem an approval, ms: if a busy service redeems it after the caller gave up, the approval is lost. */
const redeeming = { extraTime: 15_000 }

export type Client = ReturnType<typeof createClient>

type StartedPasskeyApproval = EndpointInput<typeof approvals.startApprovalByPasskey>['body']
type PasskeyApproval = EndpointInput<typeof approvals.approveByPasskey>['body']

/** The members of a user that can be changed; absent members stay. */
type UserChanges = { readonly [Field in UserField]?: string | undefined }

/**
 * A typed client for the REST interface. Its methods reject with {@link ApiError} when the service returns an error, with
 * {@link UnreachableError} when there is no usable response, and with a TypeError when an input is wrong.
 *
 * @throws {TypeError} when an option is missing or wrong.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://mfa.example/api', apiKey })
 * const session = await client.sessions.create(domainId, { user: { username: 'alice' } })
 * const settled = await client.sessions.wait(domainId, session.id, { timeout: 90_000 })
 */
export function createClient(options: ClientOptions) {
  const resolved = resolveClientOptions(options)
  const transport = createTransport(resolved)
  const streams = createSettledStreams(transport, resolved)
  const approvalStreams = createSettledStreams(transport, resolved, approvals.watchApprovals)
  const call = createCall(transport)

  return Object.freeze({
    /** The version the service speaks. */
    version: (): Promise<Version> => transport.version(),
    ping: () => call(organization.ping, {}),
    organization: Object.freeze({
      get: () => call(organization.getOrganization, {}),
    }),
    users: Object.freeze({
      create: (user: CreatedUser) => call(users.createUser, { body: user }),
      get: (userId: string) => call(users.getUser, { params: { userId } }),
      getByUsername: async (username: string) => expectUser(await call(users.findUsers, { query: { username } })),
      list: async (page = 1) => expectUsers(await call(users.findUsers, { query: { page } })),
      /** Reads all users, a page at a time. */
      pages: () => userPages(transport),
      update: (userId: string, changes: UserChanges) => call(users.updateUser, { params: { userId }, body: changes }),
      delete: (userId: string) => call(users.deleteUser, { params: { userId } }),
      /** Sets a new epoch: web sessions that were verified under another one end. 1.4. */
      endSessions: (domainId: string, userId: string, epoch?: string) =>
        call(users.endUserSessions, { params: { domainId, userId }, body: { epoch } }),
    }),
    factors: Object.freeze({
      /** Which factors allow the user to change a factor, and whether the session `pass` does. 1.4. */
      requirement: (
        domainId: string,
        userId: string,
        change: { changed: ChangedFactor; pass?: string | undefined; rpId?: string | undefined },
      ) => {
        const { changed, pass, rpId } = change
        const query = { changed, ...(pass === undefined ? {} : { pass }), ...(rpId === undefined ? {} : { rpId }) }
        return call(factors.getChangeRequirement, { params: { domainId, userId }, query })
      },
      /** Imports what up to 100 users have in another system: apps, hardware tokens, recovery codes. Repeating it changes nothing. 1.4. */
      import: (domainId: string, imported: ImportedUser[], how: { addUsers?: boolean; dryRun?: boolean } = {}) =>
        call(factorImport.importFactors, { params: { domainId }, body: { users: imported, ...how } }),
    }),
    domains: Object.freeze({
      get: (domainId: string): Promise<Domain> => call(domains.getDomain, { params: { domainId } }),
      /** A PNG: the domain's own image, or the default image of the service. */
      image: (domainId: string): Promise<Bytes> => transport.bytes(domains.getDomainImage, { params: { domainId } }),
      /** Records in the audit trail that the app lets users pass without the second step until then, Unix seconds. 1.4. */
      noteEmergency: (domainId: string, until: number) =>
        call(domains.noteEmergency, { params: { domainId }, body: { until } }),
      addUser: (domainId: string, userId: string) => call(domains.addMember, { params: { domainId, userId } }),
      getUser: (domainId: string, userId: string) => call(domains.getMember, { params: { domainId, userId } }),
      listUsers: (domainId: string, page = 1) => call(domains.listMembers, { params: { domainId }, query: { page } }),
      /** Reads all users of the domain, a page at a time. */
      userPages: (domainId: string) => listPages(transport, domains.listMembers, { domainId }),
      removeUser: (domainId: string, userId: string) => call(domains.removeMember, { params: { domainId, userId } }),
      /** Makes these the users of the domain, all at once; other users lose their token and device there. */
      synchronizeUsers: (domainId: string, members: NewUser[]) =>
        call(domains.synchronizeMembers, { params: { domainId }, body: members }, { extraTime: synchronizationTime }),
    }),
    tokens: Object.freeze({
      issue: (domainId: string, userId: string) => call(tokens.issueToken, { params: { domainId, userId } }),
      get: (domainId: string, userId: string) => call(tokens.getToken, { params: { domainId, userId } }),
      revoke: (domainId: string, userId: string) => call(tokens.revokeToken, { params: { domainId, userId } }),
      /** Issues a code for a user who never had a factor: it ends as soon as the user has one. 1.4. */
      issueFirst: (domainId: string, userId: string) => call(tokens.issueFirstToken, { params: { domainId, userId } }),
      /** Issues a code for another device; the current device stays until the code is used. 1.4. */
      replace: (domainId: string, userId: string, { pass, epoch }: { pass?: string; epoch?: string } = {}) =>
        call(tokens.issueReplacement, {
          params: { domainId, userId },
          query: { epoch },
          body: pass === undefined ? {} : { pass },
        }),
      /** Renames the device of the token. 1.4. */
      renameDevice: (domainId: string, userId: string, name: string) =>
        call(tokens.renameDevice, { params: { domainId, userId }, body: { name } }),
      withdrawReplacement: (domainId: string, userId: string) =>
        call(tokens.withdrawReplacement, { params: { domainId, userId } }),
      /**
       * Removes the device or the hardware token of a user who has both, or a passkey for the relying party `rpId`. 1.4.
       */
      giveUp: (
        domainId: string,
        userId: string,
        change: { what: 'device' | 'hardware'; pass: string; epoch?: string | undefined; rpId?: string | undefined },
      ) => call(tokens.giveUpFactor, { params: { domainId, userId }, body: change }),
    }),
    hardware: Object.freeze({
      create: (token: NewHardwareToken) => call(hardware.createHardwareToken, { body: token }),
      list: (page = 1) => call(hardware.listHardwareTokens, { query: { page } }),
      /** Reads all hardware tokens, a page at a time. */
      pages: () => listPages(transport, hardware.listHardwareTokens),
      get: (hardwareTokenId: string) => call(hardware.getHardwareToken, { params: { hardwareTokenId } }),
      rename: (hardwareTokenId: string, alias: string) =>
        call(hardware.updateHardwareToken, { params: { hardwareTokenId }, body: { alias } }),
      delete: (hardwareTokenId: string) => call(hardware.deleteHardwareToken, { params: { hardwareTokenId } }),
      assign: (userId: string, hardwareTokenId: string) =>
        call(hardware.assignHardwareToken, { params: { userId, hardwareTokenId } }),
      getOfUser: (userId: string) => call(hardware.getHardwareTokenOfUser, { params: { userId } }),
      /** Adds an authenticator app for the user, if the code that it shows is right. 1.4. */
      enroll: (domainId: string, userId: string, token: EnrolledHardwareToken) =>
        call(hardware.enrollHardwareToken, { params: { domainId, userId }, body: token }),
      /** Takes the token from the user. It stays in the organization, unless the user enrolled it. */
      release: (userId: string) => call(hardware.releaseHardwareToken, { params: { userId } }),
    }),
    /** All of these: 1.4. */
    passkeys: Object.freeze({
      /** @returns what `navigator.credentials.create()` takes, as JSON. */
      startRegistration: (domainId: string, userId: string, registration: StartedRegistration) =>
        call(passkeys.startPasskeyRegistration, { params: { domainId, userId }, body: registration }),
      register: (domainId: string, userId: string, passkey: RegisteredPasskey) =>
        call(passkeys.registerPasskey, { params: { domainId, userId }, body: passkey }),
      /** @param rpId Only those for this relying party. */
      list: (domainId: string, userId: string, rpId?: string) =>
        call(passkeys.listPasskeys, { params: { domainId, userId }, query: rpId === undefined ? {} : { rpId } }),
      rename: (domainId: string, userId: string, passkeyId: string, name: string) =>
        call(passkeys.renamePasskey, { params: { domainId, userId, passkeyId }, body: { name } }),
      /** Deletes it for an administrator, even the last factor. */
      delete: (domainId: string, userId: string, passkeyId: string) =>
        call(passkeys.deletePasskey, { params: { domainId, userId, passkeyId } }),
      /** Removes it for its user, who passed the second step for that and keeps another factor. */
      giveUp: (
        domainId: string,
        userId: string,
        passkeyId: string,
        change: { pass: string; epoch?: string | undefined },
      ) => call(passkeys.giveUpPasskey, { params: { domainId, userId, passkeyId }, body: change }),
      /** @returns what `navigator.credentials.get()` takes, as JSON; `sessions.create` takes the answer as `passkey`. */
      startAuthentication: (domainId: string, userId: string, authentication: StartedAuthentication) =>
        call(passkeys.startPasskeyAuthentication, { params: { domainId, userId }, body: authentication }),
      /** The same for a sign-in in which the passkey says who the user is. 1.4. */
      startSignIn: (domainId: string, started: StartedSignIn) =>
        call(passkeys.startPasskeySignIn, { params: { domainId }, body: started }),
      /** Verifies the answer, once. @returns its user, and an approval to redeem with the same challenge. 1.4. */
      signIn: (domainId: string, signIn: PasskeySignIn) =>
        call(passkeys.createPasskeySession, { params: { domainId }, body: signIn }),
    }),
    bypassCodes: Object.freeze({
      create: (userId: string, code: NewBypassCode) =>
        call(bypassCodes.createBypassCode, { params: { userId }, body: code }),
      /** Replaces all bypass codes of the user by 5 new ones. 1.4. */
      replaceAll: (domainId: string, userId: string, code: ReplacedBypassCodes) =>
        call(bypassCodes.replaceBypassCodes, { params: { domainId, userId }, body: code }),
      list: (userId: string) => call(bypassCodes.listBypassCodes, { params: { userId } }),
      get: (bypassCodeId: string) => call(bypassCodes.getBypassCode, { params: { bypassCodeId } }),
      delete: (bypassCodeId: string) => call(bypassCodes.deleteBypassCode, { params: { bypassCodeId } }),
      deleteAll: (userId: string) => call(bypassCodes.deleteBypassCodes, { params: { userId } }),
    }),
    browsers: Object.freeze({
      /** Reads until when the browser with this id, from its cookie, is known for the user, and remembered. 1.4. */
      recognize: (domainId: string, userId: string, browser: string) =>
        call(browsers.recognizeBrowser, { params: { domainId, userId }, body: { browser } }),
      /** The browsers that are remembered. @param browser The id of the current one, from its cookie. 1.4. */
      list: (domainId: string, userId: string, browser?: string) =>
        call(browsers.listBrowsers, { params: { domainId, userId }, body: { browser } }),
      /** Forgets one remembered or kept browser. @param pass Needed for a kept one: a session for changing devices. 1.4. */
      forget: (domainId: string, userId: string, browserId: string, pass?: string) =>
        call(browsers.forgetBrowser, { params: { domainId, userId, browserId }, query: { pass } }),
      /** Forgets all known browsers of the user. @param pass Without it, kept browsers stay kept. 1.4. */
      forgetAll: (domainId: string, userId: string, pass?: string) =>
        call(browsers.forgetBrowsers, { params: { domainId, userId }, query: { pass } }),
      /** The factors that the user cannot use now from this browser, and until when. 1.4. */
      pauses: (domainId: string, userId: string, browser?: string) =>
        call(browsers.readPauses, { params: { domainId, userId }, body: { browser } }),
    }),
    sessions: Object.freeze({
      create: (domainId: string, session: NewSession) =>
        call(sessions.createSession, { params: { domainId }, body: session }),
      /** Signs in with the first code of an app that another system made, and stores the app if the code is correct. 1.4. */
      import: (domainId: string, session: ImportingSession) =>
        call(sessions.importSession, { params: { domainId }, body: session }),
      get: (domainId: string, sessionId: string) => call(sessions.getSession, { params: { domainId, sessionId } }),
      /** The user's requests that wait for an answer of the device, newest first. 1.4. */
      listPending: (domainId: string, userId: string) =>
        call(sessions.listPendingSessions, { params: { domainId, userId } }),
      cancel: (domainId: string, sessionId: string) =>
        call(sessions.cancelSession, { params: { domainId, sessionId } }),
      /**
       * @param browser The browser in which the user passes; it becomes a known one.
       * @param phishingResistant The policy of the app: an approval that was created under less does not count.
       * @param unknownBrowser The same for browsers: what the app allows from one that is not kept.
       */
      redeem: (
        domainId: string,
        sessionId: string,
        challenge: string,
        browser?: PassedBrowser,
        phishingResistant?: RequestedPhishingResistance,
        unknownBrowser?: UnknownBrowser,
      ) => {
        const body = { challenge, browser, phishingResistant, unknownBrowser }
        return call(sessions.redeemSession, { params: { domainId, sessionId }, body }, redeeming)
      },
      /** Sends the user a one-time code for the domain. @param language Of this message alone. 1.4. */
      sendCode: (domainId: string, userId: string, factor: SentFactor, language?: string) => {
        const body = { deliverableOTPType: sessions.deliverableType(factor), language }
        const sending = { extraTime: sessions.mailTimeout * 1_000, slow: true }
        return call(sessions.sendEmailCode, { params: { domainId, userId }, body }, sending)
      },
      /** Calls back for each user of the domain whose epoch changes, while the event stream is open. 1.4. */
      watchEpochs: (domainId: string, onChange: (userId: string) => void) => streams.watchEpochs(domainId, onChange),
      /** Waits until a session settles, or `timeout` (ms) is over. */
      wait: (domainId: string, sessionId: string, wait?: WaitOptions) =>
        waitForSession({ transport, streams, options: resolved }, { domainId, sessionId }, wait),
      /** Resolves once a session has settled. The outcome is not read. */
      whenSettled: (domainId: string, sessionId: string, wait?: Pick<WaitOptions, 'signal'>) =>
        waitUntilSettled({ transport, streams, options: resolved }, { domainId, sessionId }, wait),
    }),
    /** All of these: 1.4. */
    approvals: Object.freeze({
      /** Asks one person, or several, to approve an action. */
      create: (domainId: string, approval: NewApproval) =>
        call(approvals.createApproval, { params: { domainId }, body: approval }),
      get: (domainId: string, approvalId: string) => call(approvals.getApproval, { params: { domainId, approvalId } }),
      /** A page with the proofs, oldest first. @param after The `next` of the page before it. */
      list: (domainId: string, after?: string) =>
        call(approvals.listApprovals, { params: { domainId }, query: after === undefined ? {} : { after } }),
      cancel: (domainId: string, approvalId: string) =>
        call(approvals.cancelApproval, { params: { domainId, approvalId } }),
      /** Succeeds once, and only with the challenge of the approval: call it before the action runs. */
      redeem: (domainId: string, approvalId: string, challenge: string) =>
        call(approvals.redeemApproval, { params: { domainId, approvalId }, body: { challenge } }, redeeming),
      /** @returns what `navigator.credentials.get()` takes, as JSON. */
      startByPasskey: (domainId: string, approvalId: string, started: StartedPasskeyApproval) =>
        call(approvals.startApprovalByPasskey, { params: { domainId, approvalId }, body: started }),
      /** Approves with the answer of a passkey. */
      byPasskey: (domainId: string, approvalId: string, approved: PasskeyApproval) =>
        call(approvals.approveByPasskey, { params: { domainId, approvalId }, body: approved }),
      /** The keys that receipts are signed with: store them, and give them to `verifyProof()` as `trust`. */
      keys: () => call(approvals.getApprovalKeys, {}),
      /** Waits until an approval settles, or `timeout` (ms) is over. */
      wait: (domainId: string, approvalId: string, wait?: WaitOptions) =>
        waitForApproval({ transport, streams: approvalStreams, options: resolved }, { domainId, approvalId }, wait),
    }),
  })
}

function createCall(transport: Transport) {
  return async <E extends Endpoint>(endpoint: E, input: EndpointInput<E>, options?: CallOptions) =>
    (await transport.call(endpoint, input, options)).body
}

async function* userPages(transport: Transport): AsyncGenerator<User[], void> {
  for await (const page of listPages(transport, users.findUsers)) yield expectUsers(page)
}

function expectUser(result: User | User[]): User {
  if (!Array.isArray(result)) return result
  throw new UnreachableError('bad_response', 'Expected one user, but the service returned a list.')
}

function expectUsers(result: User | User[]): User[] {
  if (Array.isArray(result)) return result
  throw new UnreachableError('bad_response', 'Expected a list of users, but the service returned one user.')
}
