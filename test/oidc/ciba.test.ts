import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Account } from '../../src/device/index.ts'
import { systemClock } from '../../src/ground/clock.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'
import { inFullRun } from '../support/full-run.ts'
import { startProvider } from './start-provider.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'

let provider: StartedProvider
let client: RegisteredClient
let config: openid.Configuration
/** How much later it is for the provider, seconds. */
let passed = 0

const grant = 'urn:openid:params:grant-type:ciba'
const approvalType = 'urn:second-factor:approval'

const registerAsker = (name: string, more: Parameters<StartedProvider['register']>[1] = {}) =>
  provider.register(name, {
    kind: 'ciba',
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: ['profile'],
    ciba: { showsNumber: false },
    ...more,
  })

/** What happens after the provider has read a question, and before it cancels it. */
let beforeCancelling: (() => Promise<unknown>) | undefined

beforeAll(async () => {
  provider = await startProvider(
    { clock: { ...systemClock, now: () => systemClock.now() + passed } },
    {
      handleFor: (domainId) => watched(provider.ownState.handleFor(domainId)),
    },
  )
  client = await registerAsker('Call center')
  config = await provider.configure(client)
  // Loads what the first request needs, which devices do not wait for.
  await provider.browser().get(provider.pages('external'))
})
afterAll(() => provider.close())

/** The same service, with what a test does in between. */
function watched(handle: ServiceHandle): ServiceHandle {
  return {
    ...handle,
    async connect(facts) {
      const connection = await handle.connect(facts)
      const send: typeof fetch = async (input, init) => {
        if (init?.method === 'DELETE') await beforeCancelling?.()
        return (connection.fetch ?? fetch)(input, init)
      }
      return { ...connection, fetch: send }
    },
  }
}

const ask = (parameters: Record<string, string>, by = config) =>
  openid.initiateBackchannelAuthentication(by, { scope: 'openid profile', ...parameters })

const poll = (id: string, by = config) => openid.genericGrantRequest(by, grant, { auth_req_id: id })

/** The error of the protocol that a call gets. */
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { error?: string }).error ?? String(error),
  )

async function requestOn(account: Account) {
  const { requests = [] } = await provider.device.requests(account)
  return requests[0]
}

const details = (...actions: unknown[]) => JSON.stringify(actions)
const transfer = { type: approvalType, title: 'Transfer €250.00', details: [{ label: 'To', value: 'Ada' }] }

describe('a backchannel request', () => {
  inFullRun(
    'a backchannel request asks the device of the user whom the client names, and says how and when',
    async () => {
      const { user, account } = await provider.enroll('ada')
      const asked = await ask({ login_hint: 'ada', binding_message: 'Call 4711: is it you?' })

      const request = await requestOn(account)
      await provider.answer(account, 'approve')
      const tokens = await openid.pollBackchannelAuthenticationGrant(config, { ...asked, interval: 0.01 })

      expect(asked).toMatchObject({ interval: 5, expires_in: expect.any(Number) })
      expect(asked).not.toHaveProperty('number')
      expect(JSON.stringify(request)).toContain('Call 4711: is it you?')
      expect(JSON.stringify(request)).toContain('Call center')
      expect(tokens.claims()).toMatchObject({
        sub: user.id,
        aud: client.id,
        acr: 'urn:second-factor:second-step',
        amr: ['swk'],
        auth_time: expect.any(Number),
      })
      expect(provider.events).toContainEqual(
        expect.objectContaining({ event: 'signed_in', clientId: client.id, userId: user.id }),
      )
      expect(provider.trouble).toEqual([])
    },
  )

  it('a backchannel request has the client wait, and wait longer if it asks too often', async () => {
    await provider.enroll('bea')
    const { auth_req_id: id } = await ask({ login_hint: 'bea' })

    const errors = [await errorOf(poll(id)), await errorOf(poll(id))]

    expect(errors).toEqual(['authorization_pending', 'slow_down'])
  })

  inFullRun.each([
    ['deny', 'access_denied'],
    ['report', 'invalid_grant'],
  ] as const)('tells the client of a person who answers %s', async (decision, error) => {
    const { account } = await provider.enroll(`cyd-${decision}`)
    const { auth_req_id: id } = await ask({ login_hint: `cyd-${decision}` })

    await provider.answer(account, decision)

    expect(await errorOf(poll(id))).toBe(error)
  })

  it('a backchannel request is answered once, also where two polls come at once', async () => {
    const { account } = await provider.enroll('dan')
    const { auth_req_id: id } = await ask({ login_hint: 'dan' })
    await provider.answer(account, 'approve')

    const results = await Promise.all([errorOf(poll(id)), errorOf(poll(id)), errorOf(poll(id))])
    const last = await errorOf(poll(id))
    const answers = [...results, last].filter((result) => result === 'none')

    expect(answers.length).toBeLessThanOrEqual(1)
    expect(await errorOf(poll(id))).toBe('invalid_grant')
  })

  it('a backchannel request is answered to the client that has asked, and to no other', async () => {
    const { account } = await provider.enroll('eve')
    const other = await provider.configure(await registerAsker('Other'))
    const { auth_req_id: id } = await ask({ login_hint: 'eve' })
    await provider.answer(account, 'approve')

    const stolen = await errorOf(poll(id, other))
    const tokens = await poll(id)

    expect(stolen).toBe('invalid_grant')
    expect(tokens.id_token).toBeDefined()
  })

  it('a backchannel request ends when the user is reset meanwhile, also if the person has approved before', async () => {
    const { user, account } = await provider.enroll('fay')
    const { auth_req_id: id } = await ask({ login_hint: 'fay' })
    await provider.answer(account, 'approve')

    await provider.api.users.endSessions(provider.domainId, user.id)

    expect(await errorOf(poll(id))).toBe('invalid_grant')
  })

  inFullRun('a backchannel request goes on at another node, which has the same store', async () => {
    const { account } = await provider.enroll('gil')
    const { auth_req_id: id } = await ask({ login_hint: 'gil' })
    const other = await provider.otherNode()
    await provider.answer(account, 'approve')

    const body = new URLSearchParams({ grant_type: grant, auth_req_id: id })
    const authorization = `Basic ${Buffer.from(`${client.id}:${client.clientSecret}`).toString('base64')}`
    const answer = await fetch(`${other.url}/oidc/token`, { method: 'POST', body, headers: { authorization } })
    await other.close()

    expect(await answer.json()).toMatchObject({ id_token: expect.any(String) })
  })

  it('a backchannel request ends after the time that the client has asked for, also on the device', async () => {
    const { account } = await provider.enroll('jon')
    const asked = await ask({ login_hint: 'jon', requested_expiry: '30' })

    passed = 30
    const error = await errorOf(poll(asked.auth_req_id))
    passed = 0

    expect(asked.expires_in).toBe(30)
    expect(error).toBe('expired_token')
    expect(await requestOn(account)).toBeUndefined()
  })

  it.each([
    ['approve', 'none'],
    ['deny', 'access_denied'],
  ] as const)(
    'a person who answers %s in the last moment is heard, although the client waits no longer',
    async (decision, error) => {
      const { account } = await provider.enroll(`nia-${decision}`)
      const { auth_req_id: id } = await ask({ login_hint: `nia-${decision}`, requested_expiry: '30' })
      beforeCancelling = () => provider.answer(account, decision)

      passed = 30
      const result = await errorOf(poll(id))
      passed = 0
      beforeCancelling = undefined

      expect(result).toBe(error)
    },
  )

  inFullRun('a backchannel request leaves another poll time once the client has waited', async () => {
    await provider.enroll('kay')
    const { auth_req_id: id } = await ask({ login_hint: 'kay' })
    await errorOf(poll(id))

    passed = 5
    const error = await errorOf(poll(id))
    passed = 0

    expect(error).toBe('authorization_pending')
  })

  it('a backchannel request shows the number where the client has a screen, and only then', async () => {
    const showing = await provider.configure(await registerAsker('Counter', { ciba: { showsNumber: true } }))
    const { account } = await provider.enroll('hal')
    await provider.setDomain({ numberMatching: 'required' })

    const hidden = await errorOf(ask({ login_hint: 'hal' }))
    const asked = await ask({ login_hint: 'hal' }, showing)
    await provider.answer(account, 'approve', asked['number'] as string)
    const tokens = await poll(asked.auth_req_id, showing)
    await provider.setDomain({ numberMatching: 'offered' })

    expect(hidden).toBe('invalid_request')
    expect(asked['number']).toMatch(/^\d+$/)
    expect(tokens.id_token).toBeDefined()
  })

  inFullRun('a backchannel request names the user by a token that the client got before', async () => {
    const { account } = await provider.enroll('ida')
    const { auth_req_id: id } = await ask({ login_hint: 'ida' })
    await provider.answer(account, 'approve')
    const { id_token: hint = '' } = await poll(id)

    const again = await ask({ id_token_hint: hint })
    await provider.answer(account, 'approve')

    expect(await errorOf(poll(again.auth_req_id))).toBe('none')
  })

  it.each([
    ['an unknown user', { login_hint: 'nobody' }, 'unknown_user_id'],
    ['nobody', {}, 'invalid_request'],
    ['a token of somebody else', { login_hint_token: 'x' }, 'invalid_request'],
    ['a message that turns text around', { login_hint: 'leo', binding_message: 'a\u202Eb' }, 'invalid_binding_message'],
    ['a message of two lines', { login_hint: 'leo', binding_message: 'a\nb' }, 'invalid_binding_message'],
    ['a long message', { login_hint: 'leo', binding_message: 'x'.repeat(121) }, 'invalid_binding_message'],
    ['no time', { login_hint: 'leo', requested_expiry: '0' }, 'invalid_request'],
    [
      'an acr that a device cannot meet',
      { login_hint: 'leo', claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } }) },
      'unmet_authentication_requirements',
    ],
    [
      'details of another type',
      { login_hint: 'leo', authorization_details: details({ type: 'payment' }) },
      'invalid_authorization_details',
    ],
    [
      'two actions',
      { login_hint: 'leo', authorization_details: details(transfer, transfer) },
      'invalid_authorization_details',
    ],
    [
      'an action with a message beside it',
      { login_hint: 'leo', binding_message: 'x', authorization_details: details(transfer) },
      'invalid_binding_message',
    ],
  ])('a backchannel request is refused for %s', async (_, parameters, error) => {
    await provider.addUser('leo').catch(() => {})

    expect(await errorOf(ask(parameters as Record<string, string>))).toBe(error)
  })

  it('a backchannel request is refused to clients of other kinds, and without the secret', async () => {
    const external = await provider.configure(provider.external)
    const wrong = await provider.configure({ ...client, clientSecret: 'wrong' })

    expect(await errorOf(ask({ login_hint: 'ada' }, external))).toBe('invalid_request')
    expect(await errorOf(ask({ login_hint: 'ada' }, wrong))).toBe('invalid_client')
  })

  it('a backchannel request is refused for a user who has no device', async () => {
    await provider.addUser('mia')

    expect(await errorOf(ask({ login_hint: 'mia' }))).toBe('access_denied')
  })

  it('a backchannel request has the action approved that it describes, and names the approval', async () => {
    const { user, account } = await provider.enroll('ned')
    const asked = await ask({ login_hint: 'ned', authorization_details: details(transfer), requested_expiry: '900' })

    const { approvals = [] } = await provider.device.requests(account)
    await provider.device.answerApproval(account, approvals[0]!, { decision: 'approve' })
    const tokens = await poll(asked.auth_req_id)
    const [action] = tokens.authorization_details ?? []
    const approval = await provider.api.approvals.get(provider.domainId, action?.['approval'] as string)

    expect(asked.expires_in).toBeGreaterThan(890)
    expect(action).toMatchObject(transfer)
    expect(approval).toMatchObject({ state: 'approved', redeemedAt: expect.any(Number) })
    expect(approval.content).toContain('Transfer €250.00')
    expect(approval.content).toContain('Call center')
    expect(tokens.claims()).toMatchObject({ sub: user.id })
    expect(tokens.claims()).not.toHaveProperty('amr')
  })

  inFullRun('an action is asked for by a client with a long name, which is never cut within a character', async () => {
    const asker = await provider.configure(await registerAsker(`${'x'.repeat(63)}📞📞`))
    const { account } = await provider.enroll('oda')
    await ask({ login_hint: 'oda', authorization_details: details(transfer) }, asker)

    const { approvals = [] } = await provider.device.requests(account)

    expect(approvals.map(({ content }) => (JSON.parse(content) as { requester: object }).requester)).toEqual([
      { kind: 'app', name: `${'x'.repeat(63)}📞` },
    ])
  })

  it('a backchannel request accepts authorization_details in no other flow', async () => {
    const { left } = await provider
      .browser()
      .visit(
        `/oidc/authorize?client_id=${provider.signIn.id}&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&code_challenge=${'x'.repeat(43)}&code_challenge_method=S256&authorization_details=${encodeURIComponent(details(transfer))}`,
      )

    expect(left?.searchParams.get('error')).toBe('invalid_target')
  })
})
