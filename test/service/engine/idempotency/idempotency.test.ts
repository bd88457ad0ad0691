import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { operations } from '../../../../src/contract/operations.ts'
import { answerOnce } from '../../../../src/service/engine/idempotency/answer-once.ts'
import type { AnswerMemory } from '../../../../src/service/engine/idempotency/answer-once.ts'
import { createAnswerLimit } from '../../../../src/service/engine/idempotency/answer-limit.ts'
import { ApiProblem } from '../../../../src/service/engine/base/problem.ts'
import { createRememberedAnswers } from '../../../../src/service/engine/idempotency/remembered-answers.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { random128 } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { member, unique } from '../../features/codes/code-holder.ts'
import { approvalsOf, approver } from '../../features/approvals/approving.ts'
import { passkeyUser, rp } from '../../features/passkeys/passkey-holder.ts'
import { openDatabase } from '../audit/recorded.ts'
import { createCall, createTenant, newUser, startService, unknownId } from '../../start-service.ts'
import type { Answer, CallOptions, Running } from '../../start-service.ts'

const minute = 60
const v13 = { accept: 'application/vnd.service.v1+json' }

let running: Running
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
  running = await startService({ smtp }, { bypassEnabled: true, emailOtpEnabled: true })
})
afterAll(async () => {
  await running.close()
  await server.close()
})

/** Calls with a key. */
const keyed = (key: string, options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { 'idempotency-key': key, ...options.headers },
})

const createUser = (key: string, username = unique(), { call }: Pick<Running, 'call'> = running) =>
  call('POST', '/users', keyed(key, { body: newUser(username) }))

const usersNamed = async (username: string) => (await running.call('GET', `/users?username=${username}`)).status

const operationOf = (method: string, path: string) =>
  operations.find(
    ({ endpoint }) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )

/** A caller that repeats each creating call, and expects the same answer. */
function repeatingCaller() {
  const repeatedNames = new Set<string>()
  const call: Running['call'] = async (method, path, options) => {
    const operation = operationOf(method, path)
    if (!operation?.endpoint.repeatable) return running.call(method, path, options)
    const key = unique()
    const first = await running.call(method, path, keyed(key, options))
    const second = await running.call(method, path, keyed(key, options))
    expect([operation.name, second.status, second.text]).toEqual([operation.name, first.status, first.text])
    if (first.status === 200) repeatedNames.add(operation.name)
    return first
  }
  return { repeating: { ...running, call }, repeatedNames }
}

describe('an Idempotency-Key', () => {
  it('a repetition with the same Idempotency-Key gets the same answer from every creating operation', async () => {
    const { repeating, repeatedNames } = repeatingCaller()
    const domain = `/domains/${running.domain.id}`

    // Users, bypass codes, sessions and their redemption.
    const person = await member(repeating)
    const pass = await person.pass()
    await repeating.call('PUT', `${person.memberPath}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 9, pass },
    })
    await repeating.call('POST', '/hardware', {
      body: { type: 'TOTP6', timeStep: 30, serialNumber: unique(), seed: '0'.repeat(40) },
    })
    await (await member(repeating)).enrollApp()
    const mover = await member(repeating)
    const app = { seed: '0'.repeat(40), algorithm: 'SHA1', digits: 6, period: 30 } as const
    const otp = codeAt(app, stepAt(running.clock.now(), 30))
    await repeating.call('POST', `${domain}/sessions/import`, {
      body: { user: { id: mover.id }, otp, factors: { app } },
    })
    await repeating.call('POST', `${person.memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
    const user = await passkeyUser(repeating)
    await user.addPasskey()
    await user.usePasskey()
    const challenge = random128()
    const started = await repeating.call('POST', `${domain}/passkeys/authentication`, {
      body: { rp, challenge },
    })
    const response = user.authenticator.use(started.json)
    await repeating.call('POST', `${domain}/passkeys/sessions`, { body: { rp, challenge, response } })
    const [actions, anna] = [approvalsOf(repeating), await approver(running)]
    const { json: asked } = await actions.ask({ user: { id: anna.id }, challenge })
    expect(await anna.waiting()).toHaveLength(1)
    await anna.decide(asked.id, 'approve')
    await actions.redeem(asked.id, challenge)

    const expected = operations.filter(({ endpoint }) => endpoint.repeatable).map(({ name }) => name)
    expect([...repeatedNames].toSorted()).toEqual(expected.toSorted())
  })

  it('a repetition creates nothing again and counts nothing again', async () => {
    const email = `${unique()}@example.com`
    const { id, enrollApp, memberPath, signIn } = await member(running, { email })
    const { code } = await enrollApp()
    running.clock.skip(30)
    const sentCodes = () => server.mails.filter((mail) => mail.to.includes(email) && mail.code !== '')

    const key = unique()
    const body = { deliverableOTPType: 'EMAIL' }
    const mailAnswers = [
      await running.call('POST', `${memberPath}/otp`, keyed(key, { body })),
      await running.call('POST', `${memberPath}/otp`, keyed(key, { body })),
    ]
    const session = { user: { id }, otp: code() }
    const signInOnce = () =>
      running.call('POST', `/domains/${running.domain.id}/sessions`, keyed(key, { body: session }))

    expect(mailAnswers.map(({ status }) => status)).toEqual([200, 200])
    expect(sentCodes()).toHaveLength(1)
    expect([(await signInOnce()).json.state, (await signInOnce()).json.state]).toEqual(['approved', 'approved'])
    expect(await signIn({ otp: code() })).toMatchObject({ state: 'denied' })
  })

  it('a repetition in version 1.3 gets only the members of 1.3', async () => {
    const key = unique()
    const body = newUser(unique())
    const create = (headers: Record<string, string> = {}) =>
      running.call('POST', '/users', keyed(key, { body, headers }))

    const [first, repeated, again] = [await create(v13), await create(v13), await create()]

    expect(repeated.text).toBe(first.text)
    expect(repeated.headers.get('content-type')).toBe('application/vnd.service.v1+json')
    expect(Object.keys(repeated.json).toSorted()).toEqual([
      'bypasscodes',
      'domains',
      'email',
      'hardware',
      'id',
      'name',
      'username',
    ])
    expect(again.json).toMatchObject(first.json)
    expect(Object.keys(again.json).length).toBeGreaterThan(7)
  })

  it('another request with a used key is rejected with 422, and changes nothing', async () => {
    const key = unique()
    const username = unique()
    await createUser(key)

    const other = await createUser(key, username)

    expect([other.status, other.code]).toEqual([422, 'api.error.mismatch.idempotencykey'])
    expect(await usersNamed(username)).toBe(404)
  })

  it('the same body for another path is another request', async () => {
    const [first, second] = [await member(running), await member(running)]
    const key = unique()
    const body = { usesAllowed: 1, expirationTime: 9 }
    await running.call('POST', `${first.path}/bypasscodes`, keyed(key, { body }))

    const other = await running.call('POST', `${second.path}/bypasscodes`, keyed(key, { body }))

    expect([other.status, other.code]).toEqual([422, 'api.error.mismatch.idempotencykey'])
  })

  it.each(['two words', 'a'.repeat(256), 'ü', ''])('the Idempotency-Key "%s" is rejected with 400', async (key) => {
    const username = unique()

    const answer = await createUser(key, username)

    expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.idempotencykey'])
    expect(await usersNamed(username)).toBe(404)
  })

  it.each(['a', '!~"', 'a'.repeat(255)])('the Idempotency-Key "%s" is accepted', async (key) => {
    expect((await createUser(key)).status).toBe(200)
  })

  it('operations that create nothing ignore an Idempotency-Key', async () => {
    const answer = await running.call('GET', '/ping', keyed('two words'))

    expect(answer.status).toBe(200)
  })

  it('a refusal is not remembered: the same call succeeds with the same key later', async () => {
    const key = unique()
    const body = { type: 'TOTP6', timeStep: 30, serialNumber: unique(), seed: '0'.repeat(40) }
    const { json: obstacle } = await running.call('POST', '/hardware', { body })
    const create = () => running.call('POST', '/hardware', keyed(key, { body }))
    const refused = await create()
    await running.call('DELETE', `/hardware/${obstacle.id}`)

    const created = await create()

    expect([refused.code, created.status]).toEqual(['api.error.conflict.serialnumber', 200])
  })

  inFullRun('a failed mail is not remembered: the same call sends it with the same key later', async () => {
    const { memberPath } = await member(running, { email: `${unique()}@example.com` })
    const send = () =>
      running.call('POST', `${memberPath}/otp`, keyed('mail', { body: { deliverableOTPType: 'EMAIL' } }))
    server.refuse()
    const refused = await send()
    server.take()

    expect([refused.status, (await send()).status]).toEqual([503, 200])
  })

  it('an answer is remembered for ten minutes', async () => {
    const key = unique()
    const username = unique()
    const first = await createUser(key, username)
    running.clock.skip(10 * minute - 1)
    const last = await createUser(key, username)
    running.clock.skip(1)

    const late = await createUser(key, username)

    expect([last.text, late.code]).toEqual([first.text, 'api.error.conflict.username'])
  })

  it('a key can be used for another request after ten minutes, swept or not', async () => {
    const key = unique()
    await createUser(key)
    running.clock.skip(10 * minute)

    const other = await createUser(key)

    expect([other.status, (await createUser(key)).code]).toEqual([200, 'api.error.mismatch.idempotencykey'])
  })

  it('a repetition waits for the first call that is still processed', async () => {
    const email = `${unique()}@example.com`
    const { memberPath } = await member(running, { email })
    const key = unique()
    const send = () => running.call('POST', `${memberPath}/otp`, keyed(key, { body: { deliverableOTPType: 'EMAIL' } }))
    let repeated: Promise<Answer> | undefined
    server.meanwhile(async () => {
      const waiting = running.clock.timerSet(4)
      repeated = send()
      await waiting
    })
    onTestFinished(() => server.meanwhile(() => Promise.resolve()))

    const first = await send()

    expect([first.status, (await repeated)?.status]).toEqual([200, 200])
    expect(server.mails.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })

  it('many repetitions at once create one user', async () => {
    const key = unique()
    const username = unique()

    const answers = await Promise.all(Array.from({ length: 20 }, () => createUser(key, username)))

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })
})

describe('what an Idempotency-Key belongs to', () => {
  it('another API key does not get the remembered answer', async () => {
    const key = unique()
    const username = unique()
    await createUser(key, username)
    const apiKey = await running.service.administration.createApiKey(running.organization.id)
    const other = { call: createCall(running.origin, apiKey) }

    const answer = await createUser(key, username, other)

    expect(answer.code).toBe('api.error.conflict.username')
  })

  it('a key of one operation is free for another operation', async () => {
    const key = unique()
    await createUser(key)
    const body = { type: 'TOTP6', timeStep: 30, serialNumber: unique(), seed: '0'.repeat(40) }

    expect((await running.call('POST', '/hardware', keyed(key, { body }))).status).toBe(200)
  })

  it('a key of one domain is free for another domain', async () => {
    const { id } = await member(running)
    const other = await running.service.administration.createDomain(running.organization.id, { name: unique() })
    await running.call('PUT', `/domains/${other.id}/users/${id}`)
    const body = { user: { id }, otp: '000000' }
    const ask = (domainId: string) => running.call('POST', `/domains/${domainId}/sessions`, keyed('shared', { body }))

    const answers = [await ask(running.domain.id), await ask(other.id)]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]?.json.id).not.toBe(answers[1]?.json.id)
  })

  it('a revoked API key gets no remembered answer', async () => {
    const { organization, call } = await createTenant(running.service, running.origin)
    const key = unique()
    const username = unique()
    await createUser(key, username, { call })
    const { administration } = running.service
    const [apiKey] = await administration.apiKeys(organization.id)
    await administration.revokeApiKey(organization.id, apiKey!.id)

    expect((await createUser(key, username, { call })).status).toBe(401)
  })

  it('a repetition that waits gets no answer once its API key was revoked', async () => {
    const { administration } = running.service
    const key = unique()
    const { memberPath } = await member(running, { email: `${unique()}@example.com` })
    const keys = async () => (await administration.apiKeys(running.organization.id)).map(({ id }) => id)
    const others = await keys()
    const call = createCall(running.origin, await administration.createApiKey(running.organization.id))
    const own = (await keys()).find((apiKeyId) => !others.includes(apiKeyId))
    const send = () => call('POST', `${memberPath}/otp`, keyed(key, { body: { deliverableOTPType: 'EMAIL' } }))
    let repeated: Promise<Answer> | undefined
    server.meanwhile(async () => {
      const waiting = running.clock.timerSet(4)
      repeated = send()
      await waiting
      await administration.revokeApiKey(running.organization.id, own!)
    })
    onTestFinished(() => server.meanwhile(() => Promise.resolve()))

    expect([(await send()).status, (await repeated)?.status]).toEqual([200, 401])
  })

  it('an unknown domain has no answer', async () => {
    const answer = await running.call(
      'POST',
      `/domains/${unknownId}/sessions`,
      keyed(unique(), { body: { user: { id: unknownId } } }),
    )

    expect(answer.status).toBe(404)
  })
})

describe('the time that a repetition waits', () => {
  it('a repetition waits once, however many calls with its key run before it', async () => {
    const clock = createTestClock(1_800_000_000)
    const { ctx, close } = await openDatabase(':memory:', { clock })
    onTestFinished(() => close())
    const answerKeyed = createRememberedAnswers(ctx)
    const handlers: PromiseWithResolvers<never>[] = []
    const refused = new ApiProblem('api.error.conflict.username')
    const call = { key: 'k', organizationId: 'o', apiKeyId: 'a', domainId: null, operation: 'POST /users' }
    const send = () =>
      answerKeyed({ ...call, requireUnchanged: () => Promise.resolve() }, {}, () => {
        const handler = Promise.withResolvers<never>()
        handlers.push(handler)
        return handler.promise
      }).catch(({ code }: ApiProblem) => code)

    const [first, second, third] = [send(), send(), send()]
    await expect.poll(() => handlers.length).toBe(1)
    await clock.advance(3)
    handlers[0]?.reject(refused)
    await expect.poll(() => handlers.length).toBe(2)
    await clock.advance(1)

    expect([await first, await third]).toEqual(['api.error.conflict.username', 'api.error.conflict.idempotencykey'])
    handlers[1]?.reject(refused)
    expect(await second).toBe('api.error.conflict.username')
  })
})

describe('the number of remembered answers', () => {
  it('an API key that has used up its remembered answers gets 429, and other API keys still get theirs', async () => {
    const { ctx, close } = await openDatabase(':memory:', { clock: createTestClock(1_800_000_000) })
    onTestFinished(() => close())
    const answerKeyed = createRememberedAnswers(ctx, 2)
    let runs = 0
    const create = (apiKeyId: string, key: string) => {
      const call = { key, organizationId: 'o', apiKeyId, domainId: null, operation: 'POST /users' }
      const change = () => Promise.resolve((runs += 1))
      const run = (memory: AnswerMemory) => answerOnce({ ...ctx, memory }, { change, answer: (number) => number })
      return answerKeyed({ ...call, requireUnchanged: () => Promise.resolve() }, {}, run).catch(
        (error: unknown) => (error as { code: string }).code,
      )
    }

    expect([await create('a', '1'), await create('a', '2'), await create('a', '3')]).toEqual([
      1,
      2,
      'api.error.toomanyrequests',
    ])
    // What is remembered is still answered.
    expect([await create('a', '2'), await create('b', '1')]).toEqual([2, 3])
  })

  it('an API key can have new answers remembered after ten minutes', async () => {
    const clock = createTestClock(1_800_000_000)
    const limit = createAnswerLimit(clock, 1)
    limit.take('a')
    expect(() => limit.take('a')).toThrow('Too many requests')

    await clock.advance(10 * minute)

    expect(() => limit.take('a')).not.toThrow()
  })
})
