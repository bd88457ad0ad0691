import { forgetBrowsers, recogniseBrowser, rememberBrowser } from '../contract/browsers.ts'
import type { NewBypassCode } from '../contract/bypass-codes.ts'
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
import type { EnrolledHardwareToken, NewHardwareToken } from '../contract/hardware.ts'
import {
  assignHardwareToken,
  createHardwareToken,
  deleteHardwareToken,
  enrolHardwareToken,
  getHardwareToken,
  getHardwareTokenOfUser,
  listHardwareTokens,
  releaseHardwareToken,
  updateHardwareToken,
} from '../contract/hardware.ts'
import { getOrganization, ping } from '../contract/organization.ts'
import type { NewSession } from '../contract/sessions.ts'
import { cancelSession, createSession, getSession, redeemSession, sendEmailCode } from '../contract/sessions.ts'
import {
  getToken,
  issueFirstToken,
  issueReplacement,
  issueToken,
  revokeToken,
  withdrawReplacement,
  giveUpFactor,
} from '../contract/tokens.ts'
import type { NewUser, User } from '../contract/users.ts'
import { createUser, deleteUser, findUsers, getUser, updateUser } from '../contract/users.ts'
import { UnreachableError } from './errors.ts'
import type { ClientOptions } from './options.ts'
import { resolveClientOptions } from './options.ts'
import type { Bytes } from './read-answer.ts'
import type { CallOptions } from './send.ts'
import type { Transport } from './transport.ts'
import { createSettledStreams } from './settled-stream.ts'
import { createTransport } from './transport.ts'
import type { WaitOptions } from './wait.ts'
import { waitForSession } from './wait.ts'

/** What a hundred thousand users may take, ms. */
const synchronisationTime = 120_000

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
      create: (user: NewUser) => call(createUser, { body: user }),
      get: (userId: string) => call(getUser, { params: { userId } }),
      getByUsername: async (username: string) => oneUser(await call(findUsers, { query: { username } })),
      list: async (page = 1) => manyUsers(await call(findUsers, { query: { page } })),
      update: (userId: string, changes: { name?: string; email?: string }) =>
        call(updateUser, { params: { userId }, body: changes }),
      delete: (userId: string) => call(deleteUser, { params: { userId } }),
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
      replace: (domainId: string, userId: string) => call(issueReplacement, { params: { domainId, userId } }),
      withdrawReplacement: (domainId: string, userId: string) =>
        call(withdrawReplacement, { params: { domainId, userId } }),
      /** Takes the device or the hardware token from somebody who has both. 1.4. */
      giveUp: (domainId: string, userId: string, what: 'device' | 'hardware') =>
        call(giveUpFactor, { params: { domainId, userId }, body: { what } }),
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
      enrol: (userId: string, token: EnrolledHardwareToken) =>
        call(enrolHardwareToken, { params: { userId }, body: token }),
      /** Takes it from the user; it stays in the organization, unless the user set it up. */
      release: (userId: string) => call(releaseHardwareToken, { params: { userId } }),
    }),
    bypassCodes: Object.freeze({
      create: (userId: string, code: NewBypassCode) => call(createBypassCode, { params: { userId }, body: code }),
      /** Makes 5 in place of all there are. 1.4. */
      replaceAll: (userId: string, code: NewBypassCode) => call(replaceBypassCodes, { params: { userId }, body: code }),
      list: (userId: string) => call(listBypassCodes, { params: { userId } }),
      get: (bypassCodeId: string) => call(getBypassCode, { params: { bypassCodeId } }),
      delete: (bypassCodeId: string) => call(deleteBypassCode, { params: { bypassCodeId } }),
      deleteAll: (userId: string) => call(deleteBypassCodes, { params: { userId } }),
    }),
    browsers: Object.freeze({
      /** A marker for a browser in which the user need not pass the second step for so many days. 1.4. */
      remember: (domainId: string, userId: string, days: number) =>
        call(rememberBrowser, { params: { domainId, userId }, body: { days } }),
      recognise: (domainId: string, userId: string, marker: string) =>
        call(recogniseBrowser, { params: { domainId, userId }, body: { marker } }),
      forgetAll: (domainId: string, userId: string) => call(forgetBrowsers, { params: { domainId, userId } }),
    }),
    sessions: Object.freeze({
      create: (domainId: string, session: NewSession) => call(createSession, { params: { domainId }, body: session }),
      get: (domainId: string, sessionId: string) => call(getSession, { params: { domainId, sessionId } }),
      cancel: (domainId: string, sessionId: string) => call(cancelSession, { params: { domainId, sessionId } }),
      redeem: (domainId: string, sessionId: string, challenge: string) =>
        call(redeemSession, { params: { domainId, sessionId }, body: { challenge } }),
      /** E-mails the user a one-time code for the domain. */
      emailCode: (domainId: string, userId: string) =>
        call(sendEmailCode, { params: { domainId, userId }, body: { deliverableOTPType: 'EMAIL' } }),
      /** Follows a session until it settles, or `timeout` (ms) is over. */
      wait: (domainId: string, sessionId: string, wait?: WaitOptions) =>
        waitForSession({ transport, streams, options: resolved }, { domainId, sessionId }, wait),
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
