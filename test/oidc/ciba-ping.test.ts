import * as openid from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { changeOidcClient } from '../../src/service/features/oidc/clients.ts'
import { organizationOfDomain } from '../../src/service/features/domains/statements.ts'
import { openedFor } from '../../src/service/opened-for.ts'
import { inFullRun } from '../support/full-run.ts'
import { startNotifiedClient } from '../support/notified-client.ts'
import type { NotifiedClient } from '../support/notified-client.ts'
import { startProvider } from './start-provider.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'

let provider: StartedProvider
let center: NotifiedClient
let client: RegisteredClient
let config: openid.Configuration

const grant = 'urn:openid:params:grant-type:ciba'
const token = 'a.secret~of+the/client_-=='

const registerAsker = (name: string, notificationEndpoint: string) =>
  provider.register(name, {
    kind: 'ciba',
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: ['profile'],
    ciba: { notificationEndpoint },
  })

beforeAll(async () => {
  center = await startNotifiedClient()
  provider = await startProvider({}, {}, { pingAgent: center.agent() })
  client = await registerAsker('Call center', center.endpoint)
  config = await provider.configure(client)
  // Loads what the first request needs, which devices do not wait for.
  await provider.browser().get(provider.pages('external'))
})
afterAll(async () => {
  await provider.close()
  await center.close()
})
afterEach(() => void center.notified.splice(0))

const ask = (parameters: Record<string, string>, by = config) =>
  openid.initiateBackchannelAuthentication(by, { scope: 'openid', client_notification_token: token, ...parameters })

const poll = (id: string) => openid.genericGrantRequest(config, grant, { auth_req_id: id })

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { error?: string }).error ?? String(error),
  )

describe('a client that is told of the answer', () => {
  it.each([
    ['approve', 'none'],
    ['deny', 'access_denied'],
  ] as const)(
    'a client is told nothing but the id of its request when a person answers %s',
    async (decision, error) => {
      const { account } = await provider.enroll(`ada-${decision}`)
      const { auth_req_id: id } = await ask({ login_hint: `ada-${decision}` })

      await provider.answer(account, decision)
      await center.received(1)

      expect(center.notified[0]).toMatchObject({
        headers: { authorization: `Bearer ${token}` },
        text: JSON.stringify({ auth_req_id: id }),
      })
      expect(await errorOf(poll(id))).toBe(error)
      expect(center.notified).toHaveLength(1)
      expect(provider.trouble).toEqual([])
    },
  )

  inFullRun('a client that is told of the answer may ask for it as well', async () => {
    const { account } = await provider.enroll('bob')
    const { auth_req_id: id } = await ask({ login_hint: 'bob' })
    const early = await errorOf(poll(id))
    await provider.answer(account, 'approve')
    await center.received(1)

    expect([early, await errorOf(poll(id))]).toEqual(['authorization_pending', 'none'])
  })

  inFullRun('a client that is told of the answer is told once where two nodes could', async () => {
    const { account } = await provider.enroll('cyd')
    const other = await provider.otherNode()
    const { auth_req_id: id } = await ask({ login_hint: 'cyd' })

    await provider.answer(account, 'approve')
    await center.received(1)
    const result = await errorOf(poll(id))
    await other.close()

    expect(result).toBe('none')
    expect(center.notified).toHaveLength(1)
  })

  inFullRun('a client is told that an action was approved', async () => {
    const { account } = await provider.enroll('dan')
    const action = { type: 'urn:second-factor:approval', title: 'Transfer €250.00' }
    const asked = await ask({ login_hint: 'dan', authorization_details: JSON.stringify([action]) })

    const { approvals = [] } = await provider.device.requests(account)
    await provider.device.answerApproval(account, approvals[0]!, { decision: 'approve' })
    await center.received(1)

    expect(center.notified[0]?.text).toBe(JSON.stringify({ auth_req_id: asked.auth_req_id }))
    expect(await errorOf(poll(asked.auth_req_id))).toBe('none')
  })

  it.each([
    ['is missing', ''],
    ['has a line break', 'token\r\nX-Injected: 1'],
    ['has a control character', 'token\u0000'],
    ['has a space', 'to ken'],
    ['is longer than 1024 characters', 'x'.repeat(1025)],
  ])('a client that is told of the answer is refused if its token %s', async (_, wrong) => {
    await provider.addUser('eve').catch(() => {})

    expect(await errorOf(ask({ login_hint: 'eve', client_notification_token: wrong }))).toBe('invalid_request')
  })

  inFullRun('a client that only asks is told nothing, whatever token it sends', async () => {
    const { account } = await provider.enroll('fay')
    const other = await provider.register('Only asks', {
      kind: 'ciba',
      redirectUris: [],
      postLogoutRedirectUris: [],
    })
    await ask({ login_hint: 'fay' }, await provider.configure(other))

    await provider.answer(account, 'approve')
    // Whatever is sent before this one would have come.
    const { account: last } = await provider.enroll('gil')
    const { auth_req_id: id } = await ask({ login_hint: 'gil' })
    await provider.answer(last, 'approve')
    await center.received(1)

    expect(center.notified.map(({ text }) => text)).toEqual([JSON.stringify({ auth_req_id: id })])
  })

  it('a client that changes its endpoint ends the requests that wait', async () => {
    await provider.enroll('hal')
    const { auth_req_id: id } = await ask({ login_hint: 'hal' })
    const { ctx } = (await openedFor(provider.service)!()).service
    const organizationId = await organizationOfDomain(ctx.store.db, provider.domainId)
    const key = { organizationId, domainId: provider.domainId, id: client.id }
    await changeOidcClient(ctx, key, { ciba: { notificationEndpoint: 'https://center.example/other' } })

    expect(await errorOf(poll(id))).toBe('invalid_grant')
  })

  it.each([
    'http://center.example/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2130706433/',
    'https://localhost/',
    'https://localhost./',
    'https://center.example/#x',
    'https://user@center.example/',
    'https://center.example/a b',
    'file:///etc/passwd',
  ])('a client can’t be told at %s', async (endpoint) => {
    await expect(registerAsker('Wrong', endpoint)).rejects.toThrow('notificationEndpoint')
  })
})
