import { forgetBrowsers, readPauses, recognizeBrowser } from '../contract/browsers.ts'
import type { NewBypassCode, ReplacedBypassCodes } from '../contract/bypass-codes.ts'
import {
  createBypassCode,
  deleteBypassCode,
  deleteBypassCodes,
  getBypassCode,
  listBypassCodes,
  replaceBypassCodes,
} from '../contract/bypass-codes.ts'
import type { Domain } from '../contract/domains.ts'
import {
  addMember,
  getDomain,
  getDomainImage,
  getMember,
  listMembers,
  removeMember,
  synchronizeMembers,
} from '../contract/domains.ts'
import type { Endpoint, EndpointInput, Version } from '../contract/endpoint.ts'
import type { ChangedFactor } from '../contract/factors.ts'
import { getChangeRequirement } from '../contract/factors.ts'
import type { EnrolledHardwareToken, NewHardwareToken } from '../contract/hardware.ts'
import {
  assignHardwareToken,
  createHardwareToken,
  deleteHardwareToken,
  enrollHardwareToken,
  getHardwareToken,
  getHardwareTokenOfUser,
  listHardwareTokens,
  releaseHardwareToken,
  updateHardwareToken,
} from '../contract/hardware.ts'
import { getOrganization, ping } from '../contract/organization.ts'
import type { NewSession, PassedBrowser } from '../contract/sessions.ts'
import {
  cancelSession,
  createSession,
  getSession,
  mailTimeout,
  redeemSession,
  sendEmailCode,
} from '../contract/sessions.ts'
import {
  getToken,
  issueFirstToken,
  issueReplacement,
  issueToken,
  revokeToken,
  withdrawReplacement,
  giveUpFactor,
} from '../contract/tokens.ts'
import type { CreatedUser, NewUser, User } from '../contract/users.ts'
import { createUser, deleteUser, endUserSessions, findUsers, getUser, updateUser } from '../contract/users.ts'
import { UnreachableError } from './errors.ts'
import type { ClientOptions } from './options.ts'
import { resolveClientOptions } from './options.ts'
import type { Bytes } from './read-answer.ts'
import type { CallOptions } from './send.ts'
import type { Transport } from './transport.ts'
import { createSettledStreams } from './settled-stream.ts'
import { createTransport } from './transport.ts'
import type { WaitOptions } from './wait.ts'
import { waitForSession, waitUntilSettled } from './wait.ts'

/** What a hundred thousand users may take, ms. */
const synchronisationTime = 120_000
/**
 * What redeeming may take on top of other calls, ms. A busy service may do it after the caller has given up, and then the
 * approval is used up for nobody.
 */
const redemptionTime = 15_000

export type Client = ReturnType<typeof createClient>

/**
 * A typed client of the REST interface.
 *
 * @throws {TypeError} here, when an option is missing or wrong; from its methods, when an input is.
 *
 * Every method rejects with {@link ApiError} when the service says no, with {@link UnreachableError} when there is no
 * usable answer.
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
  const call = caller(transport)

  return Object.freeze({
    /** The version the service speaks. */
    version: (): Promise<Version> => transport.version(),
    ping: () => call(ping, {}),
    organization: Object.freeze({
      get: () => call(getOrganization, {}),
    }),
    users: Object.freeze({
      create: (user: CreatedUser) => call(createUser, { body: user }),
      get: (userId: string) => call(getUser, { params: { userId } }),
      getByUsername: async (username: string) => oneUser(await call(findUsers, { query: { username } })),
      list: async (page = 1) => manyUsers(await call(findUsers, { query: { page } })),
      update: (userId: string, changes: { name?: string; email?: string }) =>
        call(updateUser, { params: { userId }, body: changes }),
      delete: (userId: string) => call(deleteUser, { params: { userId } }),
      /** Ends web sessions verified under another epoch than the new one. 1.4. */
      endSessions: (domainId: string, userId: string, epoch?: string) =>
        call(endUserSessions, { params: { domainId, userId }, body: { epoch } }),
    }),
    factors: Object.freeze({
      /** What the user can pass with to change a factor, and whether a session allows it. 1.4. */
      requirement: (
        domainId: string,
        userId: string,
        change: { changed: ChangedFactor; pass?: string | undefined },
      ) => {
        const { changed, pass } = change
        const query = { changed, ...(pass === undefined ? {} : { pass }) }
        return call(getChangeRequirement, { params: { domainId, userId }, query })
      },
    }),
    domains: Object.freeze({
      get: (domainId: string): Promise<Domain> => call(getDomain, { params: { domainId } }),
      /** A PNG: its own image, or the neutral one of the service. */
      image: (domainId: string): Promise<Bytes> => transport.bytes(getDomainImage, { params: { domainId } }),
      addUser: (domainId: string, userId: string) => call(addMember, { params: { domainId, userId } }),
      getUser: (domainId: string, userId: string) => call(getMember, { params: { domainId, userId } }),
      listUsers: (domainId: string, page = 1) => call(listMembers, { params: { domainId }, query: { page } }),
      removeUser: (domainId: string, userId: string) => call(removeMember, { params: { domainId, userId } }),
      /** Makes these the users of the domain, all at once; who is not among them loses token and device there. */
      synchronizeUsers: (domainId: string, users: NewUser[]) =>
        call(synchronizeMembers, { params: { domainId }, body: users }, { work: synchronisationTime }),
    }),
    tokens: Object.freeze({
      issue: (domainId: string, userId: string) => call(issueToken, { params: { domainId, userId } }),
      get: (domainId: string, userId: string) => call(getToken, { params: { domainId, userId } }),
      revoke: (domainId: string, userId: string) => call(revokeToken, { params: { domainId, userId } }),
      /** For who never had a factor: any other one ends its code. 1.4. */
      issueFirst: (domainId: string, userId: string) => call(issueFirstToken, { params: { domainId, userId } }),
      /** A code for another device; the present one stays until it is used. 1.4. */
      replace: (domainId: string, userId: string, { pass, epoch }: { pass?: string; epoch?: string } = {}) =>
        call(issueReplacement, {
          params: { domainId, userId },
          query: { epoch },
          body: pass === undefined ? {} : { pass },
        }),
      withdrawReplacement: (domainId: string, userId: string) =>
        call(withdrawReplacement, { params: { domainId, userId } }),
      /** Takes the device or the hardware token from somebody who has both. 1.4. */
      giveUp: (
        domainId: string,
        userId: string,
        change: { what: 'device' | 'hardware'; pass: string; epoch?: string | undefined },
      ) => call(giveUpFactor, { params: { domainId, userId }, body: change }),
    }),
    hardware: Object.freeze({
      create: (token: NewHardwareToken) => call(createHardwareToken, { body: token }),
      list: (page = 1) => call(listHardwareTokens, { query: { page } }),
      get: (hardwareTokenId: string) => call(getHardwareToken, { params: { hardwareTokenId } }),
      rename: (hardwareTokenId: string, alias: string) =>
        call(updateHardwareToken, { params: { hardwareTokenId }, body: { alias } }),
      delete: (hardwareTokenId: string) => call(deleteHardwareToken, { params: { hardwareTokenId } }),
      assign: (userId: string, hardwareTokenId: string) =>
        call(assignHardwareToken, { params: { userId, hardwareTokenId } }),
      getOfUser: (userId: string) => call(getHardwareTokenOfUser, { params: { userId } }),
      /** Adds an authenticator app for the user, where the code is right that it shows. 1.4. */
      enroll: (domainId: string, userId: string, token: EnrolledHardwareToken) =>
        call(enrollHardwareToken, { params: { domainId, userId }, body: token }),
      /** Takes it from the user; it stays in the organization, unless the user set it up. */
      release: (userId: string) => call(releaseHardwareToken, { params: { userId } }),
    }),
    bypassCodes: Object.freeze({
      create: (userId: string, code: NewBypassCode) => call(createBypassCode, { params: { userId }, body: code }),
      /** Makes 5 in place of all there are. 1.4. */
      replaceAll: (domainId: string, userId: string, code: ReplacedBypassCodes) =>
        call(replaceBypassCodes, { params: { domainId, userId }, body: code }),
      list: (userId: string) => call(listBypassCodes, { params: { userId } }),
      get: (bypassCodeId: string) => call(getBypassCode, { params: { bypassCodeId } }),
      delete: (bypassCodeId: string) => call(deleteBypassCode, { params: { bypassCodeId } }),
      deleteAll: (userId: string) => call(deleteBypassCodes, { params: { userId } }),
    }),
    browsers: Object.freeze({
      /** Whether the user is known, and remembered, in the browser whose cookie holds this id. 1.4. */
      recognize: (domainId: string, userId: string, browser: string) =>
        call(recognizeBrowser, { params: { domainId, userId }, body: { browser } }),
      /** Ends all known browsers of the user. 1.4. */
      forgetAll: (domainId: string, userId: string) => call(forgetBrowsers, { params: { domainId, userId } }),
      /** What the user cannot try now from this browser, and until when. 1.4. */
      pauses: (domainId: string, userId: string, browser?: string) =>
        call(readPauses, { params: { domainId, userId }, body: { browser } }),
    }),
    sessions: Object.freeze({
      create: (domainId: string, session: NewSession) => call(createSession, { params: { domainId }, body: session }),
      get: (domainId: string, sessionId: string) => call(getSession, { params: { domainId, sessionId } }),
      cancel: (domainId: string, sessionId: string) => call(cancelSession, { params: { domainId, sessionId } }),
      /** @param browser the one in which the user passes; it becomes known. */
      redeem: (domainId: string, sessionId: string, challenge: string, browser?: PassedBrowser) =>
        call(
          redeemSession,
          { params: { domainId, sessionId }, body: { challenge, browser } },
          { work: redemptionTime },
        ),
      /** E-mails the user a one-time code for the domain. */
      emailCode: (domainId: string, userId: string) =>
        call(
          sendEmailCode,
          { params: { domainId, userId }, body: { deliverableOTPType: 'EMAIL' } },
          { work: mailTimeout * 1_000, slow: true },
        ),
      /** Calls back with users of the domain whose epoch changed, as far as there is a stream that tells. 1.4. */
      watchEpochs: (domainId: string, changed: (userId: string) => void) => streams.watchEpochs(domainId, changed),
      /** Follows a session until it settles, or `timeout` (ms) is over. */
      wait: (domainId: string, sessionId: string, wait?: WaitOptions) =>
        waitForSession({ transport, streams, options: resolved }, { domainId, sessionId }, wait),
      /** Resolves once a session has settled. What became of it is not read. */
      whenSettled: (domainId: string, sessionId: string, wait?: Pick<WaitOptions, 'signal'>) =>
        waitUntilSettled({ transport, streams, options: resolved }, { domainId, sessionId }, wait),
    }),
  })
}

function caller(transport: Transport) {
  return async <E extends Endpoint>(endpoint: E, input: EndpointInput<E>, options?: CallOptions) =>
    (await transport.call(endpoint, input, options)).body
}

function oneUser(answer: User | User[]): User {
  if (!Array.isArray(answer)) return answer
  throw new UnreachableError('bad_response', 'The service answered a list where one user was asked for.')
}

function manyUsers(answer: User | User[]): User[] {
  if (Array.isArray(answer)) return answer
  throw new UnreachableError('bad_response', 'The service answered one user where a list was asked for.')
}
