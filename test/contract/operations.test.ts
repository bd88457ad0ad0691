import { describe, expect, it } from 'vitest'

import { createClient } from '../../src/client/index.ts'
import type { Client } from '../../src/client/index.ts'
import { operations, pathTemplate, operationTitle } from '../../src/contract/operations.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import type { Operation } from '../../src/contract/operations.ts'
import { routes } from '../../src/service/routes/rest.ts'
import { createOpenApi } from '../../src/service/engine/openapi/document.ts'
import { exampleParams, examples } from '../../src/service/engine/openapi/examples.ts'

const { userId, domainId, sessionId, hardwareTokenId, bypassCodeId, browserId, passkeyId, approvalId } = exampleParams
const v14 = 'application/vnd.service.v1+json; version=1.4'

const request = (name: string) => examples[name]?.request as never

/** How the client of this package calls each operation. */
const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  createUser: ({ users }) => users.create(request('createUser')),
  findUsers: ({ users }) => users.getByUsername('alice'),
  getUser: ({ users }) => users.get(userId),
  updateUser: ({ users }) => users.update(userId, request('updateUser')),
  deleteUser: ({ users }) => users.delete(userId),
  endUserSessions: ({ users }) => users.endSessions(domainId, userId, request('endUserSessions')['epoch']),

  getDomain: ({ domains }) => domains.get(domainId),
  getDomainImage: ({ domains }) => domains.image(domainId),
  noteEmergency: ({ domains }) => domains.noteEmergency(domainId, request('noteEmergency')['until']),
  addMember: ({ domains }) => domains.addUser(domainId, userId),
  getMember: ({ domains }) => domains.getUser(domainId, userId),
  listMembers: ({ domains }) => domains.listUsers(domainId),
  removeMember: ({ domains }) => domains.removeUser(domainId, userId),
  synchronizeMembers: ({ domains }) => domains.synchronizeUsers(domainId, request('synchronizeMembers')),

  issueToken: ({ tokens }) => tokens.issue(domainId, userId),
  getToken: ({ tokens }) => tokens.get(domainId, userId),
  renameDevice: ({ tokens }) => tokens.renameDevice(domainId, userId, request('renameDevice')['name']),
  revokeToken: ({ tokens }) => tokens.revoke(domainId, userId),
  issueFirstToken: ({ tokens }) => tokens.issueFirst(domainId, userId),
  issueReplacement: ({ tokens }) => tokens.replace(domainId, userId, request('issueReplacement')),
  withdrawReplacement: ({ tokens }) => tokens.withdrawReplacement(domainId, userId),
  giveUpFactor: ({ tokens }) => tokens.giveUp(domainId, userId, request('giveUpFactor')),

  getChangeRequirement: ({ factors }) => factors.requirement(domainId, userId, { changed: 'device', pass: sessionId }),

  importFactors: ({ factors }) => factors.import(domainId, request('importFactors')['users']),

  createSession: ({ sessions }) => sessions.create(domainId, request('createSession')),
  importSession: ({ sessions }) => sessions.import(domainId, request('importSession')),
  getSession: ({ sessions }) => sessions.get(domainId, sessionId),
  listPendingSessions: ({ sessions }) => sessions.listPending(domainId, userId),
  cancelSession: ({ sessions }) => sessions.cancel(domainId, sessionId),
  redeemSession: ({ sessions }) => sessions.redeem(domainId, sessionId, request('redeemSession')['challenge']),
  watchSessions: ({ sessions }) => sessions.wait(domainId, sessionId),
  sendEmailCode: ({ sessions }) => sessions.sendCode(domainId, userId, 'email'),

  createApproval: ({ approvals }) => approvals.create(domainId, request('createApproval')),
  listApprovals: ({ approvals }) => approvals.list(domainId),
  getApproval: ({ approvals }) => approvals.get(domainId, approvalId),
  cancelApproval: ({ approvals }) => approvals.cancel(domainId, approvalId),
  redeemApproval: ({ approvals }) => approvals.redeem(domainId, approvalId, request('redeemApproval')['challenge']),
  watchApprovals: ({ approvals }) => approvals.wait(domainId, approvalId),
  startApprovalByPasskey: ({ approvals }) =>
    approvals.startByPasskey(domainId, approvalId, request('startApprovalByPasskey')),
  approveByPasskey: ({ approvals }) => approvals.byPasskey(domainId, approvalId, request('approveByPasskey')),
  getApprovalKeys: ({ approvals }) => approvals.keys(),

  startPasskeyRegistration: ({ passkeys }) =>
    passkeys.startRegistration(domainId, userId, request('startPasskeyRegistration')),
  registerPasskey: ({ passkeys }) => passkeys.register(domainId, userId, request('registerPasskey')),
  listPasskeys: ({ passkeys }) => passkeys.list(domainId, userId),
  renamePasskey: ({ passkeys }) => passkeys.rename(domainId, userId, passkeyId, request('renamePasskey')['name']),
  deletePasskey: ({ passkeys }) => passkeys.delete(domainId, userId, passkeyId),
  giveUpPasskey: ({ passkeys }) => passkeys.giveUp(domainId, userId, passkeyId, request('giveUpPasskey')),
  startPasskeyAuthentication: ({ passkeys }) =>
    passkeys.startAuthentication(domainId, userId, request('startPasskeyAuthentication')),
  startPasskeySignIn: ({ passkeys }) => passkeys.startSignIn(domainId, request('startPasskeySignIn')),
  createPasskeySession: ({ passkeys }) => passkeys.signIn(domainId, request('createPasskeySession')),

  createHardwareToken: ({ hardware }) => hardware.create(request('createHardwareToken')),
  enrollHardwareToken: ({ hardware }) => hardware.enroll(domainId, userId, request('enrollHardwareToken')),
  listHardwareTokens: ({ hardware }) => hardware.list(),
  getHardwareToken: ({ hardware }) => hardware.get(hardwareTokenId),
  updateHardwareToken: ({ hardware }) => hardware.rename(hardwareTokenId, "Alice's key"),
  deleteHardwareToken: ({ hardware }) => hardware.delete(hardwareTokenId),
  assignHardwareToken: ({ hardware }) => hardware.assign(userId, hardwareTokenId),
  getHardwareTokenOfUser: ({ hardware }) => hardware.getOfUser(userId),
  releaseHardwareToken: ({ hardware }) => hardware.release(userId),

  createBypassCode: ({ bypassCodes }) => bypassCodes.create(userId, request('createBypassCode')),
  replaceBypassCodes: ({ bypassCodes }) => bypassCodes.replaceAll(domainId, userId, request('replaceBypassCodes')),
  listBypassCodes: ({ bypassCodes }) => bypassCodes.list(userId),
  getBypassCode: ({ bypassCodes }) => bypassCodes.get(bypassCodeId),
  deleteBypassCodes: ({ bypassCodes }) => bypassCodes.deleteAll(userId),
  deleteBypassCode: ({ bypassCodes }) => bypassCodes.delete(bypassCodeId),

  recognizeBrowser: ({ browsers }) => browsers.recognize(domainId, userId, request('recognizeBrowser')['browser']),
  listBrowsers: ({ browsers }) => browsers.list(domainId, userId, request('listBrowsers')['browser']),
  forgetBrowser: ({ browsers }) => browsers.forget(domainId, userId, browserId),
  forgetBrowsers: ({ browsers }) => browsers.forgetAll(domainId, userId),
  readPauses: ({ browsers }) => browsers.pauses(domainId, userId, request('readPauses')['browser']),

  getOrganization: ({ organization }) => organization.get(),
  ping: ({ ping }) => ping(),
}

/** A service that answers what the documents say, and remembers what it was asked. */
function exampleService() {
  const requestLines: string[] = []
  const answer = (url: string | URL | Request, init: RequestInit): Response => {
    const path = new URL(url instanceof Request ? url.url : url).pathname.replace('/api', '')
    requestLines.push(`${init.method} ${path}`)
    const operation = operations.find(
      ({ endpoint }) => endpoint.method === init.method && filled(endpoint.path) === path,
    )
    return operation ? exampleAnswer(operation) : new Response(undefined, { status: 404 })
  }
  const client = createClient({
    baseUrl: 'https://mfa.example/api',
    apiKey: 'k'.repeat(64),
    version: '1.4',
    fetch: (url, init = {}) => Promise.resolve(answer(url, init)),
  })
  return { client, requestLines }
}

const image = { type: 'image/png', bytes: new Uint8Array([137, 80, 78, 71]) }

function exampleAnswer({ name, endpoint }: Operation): Response {
  const example = examples[name]?.answer
  if (endpoint.media === 'image/png') return new Response(image.bytes, { headers: { 'content-type': image.type } })
  const text = endpoint.media ? `data: ${JSON.stringify(example)}\n\n` : JSON.stringify(example)
  return new Response(text, { headers: { 'content-type': endpoint.media ?? v14 } })
}

/** Where the client makes more of the answer: who waits for a session, or an approval, gets it. */
const results: Readonly<Record<string, unknown>> = {
  getDomainImage: image,
  watchSessions: examples['getSession']?.answer,
  watchApprovals: examples['getApproval']?.answer,
}

const filled = (path: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => exampleParams[name as keyof typeof exampleParams])

describe('the operations of the contract', () => {
  it('the operations of the contract are those of the interface document and those that 1.4 added', () => {
    expect(operations.map(({ endpoint }) => operationTitle(endpoint)).sort()).toEqual(
      [...interfaceDocument, ...since14].sort(),
    )
  })

  it('the operations of the contract are each routed once', () => {
    const titles = (entries: readonly { endpoint: Endpoint }[]) =>
      entries.map(({ endpoint }) => operationTitle(endpoint)).sort()

    expect(titles(routes)).toEqual(titles(operations))
    expect(new Set([...routes, ...operations].map(({ endpoint }) => endpoint)).size).toBe(operations.length)
  })

  it.each(operations)('the client has a method for the operation $name', async ({ name, endpoint }) => {
    const { client, requestLines } = exampleService()

    const result = await calls[name]!(client)

    expect(requestLines[0]).toBe(`${endpoint.method} ${filled(endpoint.path)}`)
    expect(result).toEqual(results[name] ?? examples[name]?.answer)
  })

  it('the operations of the contract each have a call in the table of client calls, which has no others', () => {
    expect(Object.keys(calls).sort()).toEqual(operations.map(({ name }) => name).sort())
  })

  it.each(operations)('the operation $name is in OpenAPI with every code that it declares', ({ name, endpoint }) => {
    const document = createOpenApi({ vendor: { scheme: 'Service', mediaType: 'service' }, address: '/api' })

    const described = document.paths[pathTemplate(endpoint.path)]?.[endpoint.method.toLowerCase()]

    expect(described?.operationId).toBe(name)
    expect(described?.summary).toBe(endpoint.summary)
    for (const code of endpoint.errors) expect(JSON.stringify(described?.responses)).toContain(`"${code}"`)
  })
})

/** The tables of the interface document, and ping, whose path it does not show. */
const interfaceDocument = [
  'PUT /domains/{domainId}/users/{userId}/token',
  'GET /domains/{domainId}/users/{userId}/token',
  'DELETE /domains/{domainId}/users/{userId}/token',
  'POST /domains/{domainId}/sessions',
  'GET /domains/{domainId}/sessions/{sessionId}',
  'DELETE /domains/{domainId}/sessions/{sessionId}',
  'POST /domains/{domainId}/users/{userId}/otp',
  'POST /users',
  'GET /users',
  'GET /users/{userId}',
  'PUT /users/{userId}',
  'DELETE /users/{userId}',
  'GET /domains/{domainId}',
  'GET /domains/{domainId}/image',
  'PUT /domains/{domainId}/users/{userId}',
  'PUT /domains/{domainId}/users',
  'DELETE /domains/{domainId}/users/{userId}',
  'GET /domains/{domainId}/users/{userId}',
  'GET /domains/{domainId}/users',
  'POST /hardware',
  'GET /hardware',
  'GET /hardware/{hardwareTokenId}',
  'PUT /hardware/{hardwareTokenId}',
  'DELETE /hardware/{hardwareTokenId}',
  'PUT /users/{userId}/hardware/{hardwareTokenId}',
  'GET /users/{userId}/hardware',
  'DELETE /users/{userId}/hardware',
  'POST /users/{userId}/bypasscodes',
  'GET /users/{userId}/bypasscodes',
  'GET /bypasscodes/{bypassCodeId}',
  'DELETE /users/{userId}/bypasscodes',
  'DELETE /bypasscodes/{bypassCodeId}',
  'GET /organization',
  'GET /ping',
]

const since14 = [
  'POST /domains/{domainId}/approvals',
  'GET /domains/{domainId}/approvals',
  'GET /domains/{domainId}/approvals/events',
  'GET /domains/{domainId}/approvals/{approvalId}',
  'DELETE /domains/{domainId}/approvals/{approvalId}',
  'POST /domains/{domainId}/approvals/{approvalId}/redeem',
  'POST /domains/{domainId}/approvals/{approvalId}/passkey/options',
  'POST /domains/{domainId}/approvals/{approvalId}/passkey',
  'GET /approval-keys',
  'PUT /domains/{domainId}/users/{userId}/token/device',
  'POST /domains/{domainId}/users/{userId}/browsers/list',
  'DELETE /domains/{domainId}/users/{userId}/browsers/{browserId}',
  'POST /domains/{domainId}/sessions/import',
  'POST /domains/{domainId}/sessions/{sessionId}/redeem',
  'GET /domains/{domainId}/sessions/events',
  'GET /domains/{domainId}/users/{userId}/sessions',
  'PUT /domains/{domainId}/users/{userId}/token/first',
  'PUT /domains/{domainId}/users/{userId}/token/replacement',
  'DELETE /domains/{domainId}/users/{userId}/token/replacement',
  'GET /domains/{domainId}/users/{userId}/factors/requirement',
  'POST /domains/{domainId}/users/{userId}/factors/give-up',
  'POST /domains/{domainId}/users/{userId}/hardware',
  'PUT /domains/{domainId}/users/{userId}/bypasscodes',
  'POST /domains/{domainId}/users/{userId}/passkeys/registration',
  'POST /domains/{domainId}/users/{userId}/passkeys',
  'GET /domains/{domainId}/users/{userId}/passkeys',
  'PUT /domains/{domainId}/users/{userId}/passkeys/{passkeyId}',
  'DELETE /domains/{domainId}/users/{userId}/passkeys/{passkeyId}',
  'POST /domains/{domainId}/users/{userId}/passkeys/{passkeyId}/give-up',
  'POST /domains/{domainId}/users/{userId}/passkeys/authentication',
  'POST /domains/{domainId}/emergencies',
  'POST /domains/{domainId}/factors/import',
  'POST /domains/{domainId}/passkeys/authentication',
  'POST /domains/{domainId}/passkeys/sessions',
  'POST /domains/{domainId}/users/{userId}/browsers/recognize',
  'POST /domains/{domainId}/users/{userId}/pauses',
  'DELETE /domains/{domainId}/users/{userId}/browsers',
  'POST /domains/{domainId}/users/{userId}/epoch',
]
