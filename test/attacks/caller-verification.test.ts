import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { devicePaths } from '../../src/contract/device.ts'
import { adminExamples } from '../../src/service/engine/openapi/admin-examples.ts'
import { administrator, startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { askCaller, askedCaller, outcomeOf, personWithDevice } from '../service/features/callers/phone-caller.ts'
import type { Person } from '../service/features/callers/phone-caller.ts'
import { createCall, read } from '../service/start-service.ts'
import { random128 } from '../support/device-signer.ts'
import { inFullRun } from '../support/full-run.ts'

let folder: string
let running: Console
let helpdesk: Awaited<ReturnType<typeof administrator>>
let person: Person

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-caller-attack-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  // Ceremonies are limited by address.
  running.clock.skip(600)
  helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
  person = await personWithDevice(running)
})

const sessions = () => `/domains/${running.domain.id}/sessions`

/** A sign-in of the attacker, who knows the password, with a number. */
async function signIn() {
  const challenge = random128()
  const body = { user: { id: person.id }, challenge, numberMatching: true }
  const { json } = await running.call('POST', sessions(), { body })
  const request = (await person.pending()).find(({ id }) => id === json.id)!
  const state = async () => (await running.call('GET', `${sessions()}/${json.id}`)).json.state
  return { id: json.id as string, number: json.number as string, challenge, nonce: request.nonce, state }
}

describe('a confirmed call', () => {
  it('a confirmed call is not a session: it cannot be read, followed, canceled or redeemed', async () => {
    const { id, confirm, outcome, call: question } = await askedCaller(helpdesk, person)
    await confirm()
    const path = `${sessions()}/${id}`

    const answers = [
      await running.call('GET', path),
      await running.call('GET', path, { headers: { accept: '*/*' } }),
      await running.call('GET', path, { headers: { prefer: 'wait=1' } }),
      await running.call('DELETE', path),
      await running.call('POST', `${path}/redeem`, { body: { challenge: random128() } }),
      await running.call('POST', `${path}/redeem`, { body: { challenge: question.nonce } }),
    ]

    expect(answers.map(({ code }) => code)).toEqual(Array(6).fill('api.error.notfound.session'))
    expect((await outcome()).state).toBe('confirmed')
  })

  it('a confirmed call approves no pending sign-in request and no other factor change', async () => {
    const waiting = await signIn()
    const { id, confirm } = await askedCaller(helpdesk, person)

    await confirm()

    expect(await waiting.state()).toBe('pending')
    const redeemed = await running.call('POST', `${sessions()}/${waiting.id}/redeem`, {
      body: { challenge: waiting.challenge },
    })
    const token = `/domains/${running.domain.id}/users/${person.id}/token/replacement`
    const replaced = await running.call('PUT', token, { body: { pass: id } })
    expect([redeemed.code, replaced.code]).toEqual(['api.error.conflict.state', 'api.error.conflict.pass'])
  })

  it('a confirmed call leaves the person signed in, and unknown browsers unknown', async () => {
    const epoch = async () =>
      (await running.ctx.store.db.selectFrom('user').select('epoch').where('id', '=', person.id).executeTakeFirst())
        ?.epoch
    const epochBefore = await epoch()
    const { confirm } = await askedCaller(helpdesk, person)

    await confirm({ keepBrowser: true })

    expect(await epoch()).toBe(epochBefore)
    const browsers = await running.ctx.store.db.selectFrom('knownBrowser').selectAll().execute()
    expect(browsers).toEqual([])
  })
})

describe('an answer', () => {
  inFullRun('an answer to a call is not accepted as an answer to a session, whatever the decision', async () => {
    const { id, call: question, number, outcome } = await askedCaller(helpdesk, person)
    const { nonce } = question
    const errorCodeAt = async (path: string, content: object) =>
      (await read(await person.device.call(path, content))).code

    const codes = [
      await errorCodeAt(devicePaths.answer(id), { nonce, decision: 'approve', number }),
      await errorCodeAt(devicePaths.answer(id), { nonce, decision: 'deny' }),
      await errorCodeAt(devicePaths.answer(id), { nonce, decision: 'confirm', number }),
      await errorCodeAt(devicePaths.scan(id), { nonce, secret: random128() }),
    ]

    expect(codes).toEqual([
      'api.error.notfound.session',
      'api.error.notfound.session',
      'api.error.invalid.decision',
      'api.error.notfound.session',
    ])
    expect((await outcome()).state).toBe('pending')
  })

  inFullRun('an answer to a session is not accepted as an answer to a call, whatever the decision', async () => {
    const waiting = await signIn()
    const { nonce, number, id } = waiting
    const { id: callId } = await askedCaller(helpdesk, person)

    const answers = [
      await person.answerCall(id, { nonce, decision: 'confirm', number }),
      await person.answerCall(id, { nonce, decision: 'deny' }),
      await person.answerCall(id, { nonce, decision: 'approve', number }),
      await person.answerCall(callId, { nonce, decision: 'confirm', number }),
    ]

    expect(answers.map(({ code }) => code)).toEqual([
      'api.error.notfound.callerverification',
      'api.error.notfound.callerverification',
      'api.error.invalid.decision',
      'api.error.invalid.nonce',
    ])
    expect(await waiting.state()).toBe('pending')
    expect((await outcomeOf(helpdesk, person, callId)).json.state).toBe('pending')
  })

  it('an answer signed for one path is not accepted at another path', async () => {
    const waiting = await signIn()
    const { id, call: question, number, outcome } = await askedCaller(helpdesk, person)
    const forCall = { nonce: question.nonce, decision: 'confirm', number, path: devicePaths.answerCall(id) }
    const forSession = { nonce: waiting.nonce, decision: 'approve', number: waiting.number }
    const jws = await Promise.all([
      person.signer.sign({ htm: 'POST', ...forCall }),
      person.signer.sign({ htm: 'POST', ...forSession, path: devicePaths.answer(waiting.id) }),
    ])

    const crossed = [
      await read(await person.device.post(devicePaths.answer(waiting.id), jws[0])),
      await read(await person.device.post(devicePaths.answerCall(id), jws[1])),
    ]

    expect(crossed.map(({ code }) => code)).toEqual(Array(2).fill('api.error.unauthorized'))
    expect([await waiting.state(), (await outcome()).state]).toEqual(['pending', 'pending'])
  })

  it('an answer to a call counts once, and a copy of it is refused', async () => {
    const { id, call: question, number } = await askedCaller(helpdesk, person)
    const path = devicePaths.answerCall(id)
    const content = { nonce: question.nonce, decision: 'confirm', number }
    const jws = await person.signer.sign({ htm: 'POST', path, ...content })
    await person.device.post(path, jws)

    const copy = await read(await person.device.post(path, jws))

    expect(copy.code).toBe('api.error.device.replayed')
  })
})

describe('an API key', () => {
  it('an API key of any role cannot ask a person to confirm a call', async () => {
    const auth = await running.service.administration.createApiKey(running.organization.id, { role: 'auth' })
    const path = `/admin/domains/${running.domain.id}/users/${person.id}/caller-verifications`

    const statuses = await Promise.all(
      [running.apiKey, auth].map(async (key) => (await createCall(running.origin, key)('POST', path)).status),
    )

    expect(statuses).toEqual([404, 404])
    expect(await person.calls()).toEqual([])
  })
})

describe('after a No', () => {
  const changes = adminOperations.filter(
    ({ endpoint: { admin, method, path } }) =>
      admin?.role === 'helpdesk' && method !== 'GET' && path.includes(':userId'),
  )

  it.each(changes)(
    'the help desk cannot call $name for a person who answered No to its call',
    async ({ name, endpoint }) => {
      const { answer } = await askedCaller(helpdesk, person)
      await answer('deny')
      const params: Record<string, string> = { domainId: running.domain.id, userId: person.id }
      const path = endpoint.path
        .replace('/admin', '')
        .replace(/:(\w+)/g, (_, param: string) => params[param] ?? '0'.repeat(40))
      const body = adminExamples[name]?.request

      const refused = await helpdesk.call(endpoint.method, path, { ...(body !== undefined && { body }) })
      const elsewhere = await askCaller(helpdesk, await personWithDevice(running))

      expect([refused.status, refused.code]).toEqual([403, 'api.error.forbidden.blocked'])
      expect(elsewhere.status).toBe(200)
    },
  )
})
