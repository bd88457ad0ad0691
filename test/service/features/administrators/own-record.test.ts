import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { adminOperations } from '../../../../src/admin-contract/operations.ts'
import { isChangeOfPerson } from '../../../../src/service/features/administrators/consent-subject.ts'
import { adminExamples } from '../../../../src/service/engine/openapi/admin-examples.ts'
import { useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../codes/code-holder.ts'
import { newUser } from '../../start-service.ts'
import type { Answer } from '../../start-service.ts'
import { administrator, origin, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'

const because = 'other'
const sameAddress = 'api.error.forbidden.sameaddress'

describe('a person with the e-mail address of an administrator', () => {
  const newDatabase = useEngine('SQLite')
  let running: Console
  let owner: Signed
  let ada: Signed
  let email: string
  let id: string

  type Signed = Awaited<ReturnType<typeof administrator>>

  beforeAll(async () => {
    running = await startConsole(await newDatabase(), { authenticatorUrl: origin })
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    email = `${unique()}@example.com`
    owner = await administrator(running, { role: 'owner', email: `${unique()}@example.com` })
    ada = await administrator(running, { role: 'admin', domains: [running.domain.id], email })
    id = await person({ email: email.toUpperCase() })
  })

  async function person(more: object = {}): Promise<string> {
    const { json } = await running.call('POST', '/users', { body: { ...newUser(unique()), ...more } })
    await running.call('PUT', `/domains/${running.domain.id}/users/${json.id}`)
    return json.id as string
  }
  const reset = (by: Signed = ada) => by.call('POST', `/people/${id}/reset`, { body: { because } })
  const decide = (own: boolean, by: Signed = owner, user = id, administratorId = ada.id) =>
    by.call('PUT', `/administrators/${administratorId}/record`, { body: { user, own } })
  const outcome = ({ status, code }: Pick<Answer, 'status' | 'code'>) => code ?? status
  async function consentOf(colleague: Signed) {
    const body = { operation: 'resetPerson', because }
    const { json } = await ada.call('POST', `/people/${id}/consents`, { body })
    return colleague.call('POST', `/consents/${json.id}/give`)
  }

  const changes = adminOperations.filter(({ endpoint }) => isChangeOfPerson(endpoint))

  it.each(changes)(
    '$name by an administrator alone does not change a person with the administrator’s e-mail address',
    async ({ name, endpoint }) => {
      const { version } = (await ada.call('GET', `/people/${id}`)).json
      const path = endpoint.path
        .replace('/admin', '')
        .replace(':userId', id)
        .replace(':domainId', running.domain.id)
        .replace(/:\w+/, 'ab'.repeat(20))

      const answer = await ada.call(endpoint.method, path, {
        body: adminExamples[name]?.request,
        headers: { 'if-match': `"${version}"` },
      })

      expect(answer.code).toBe(sameAddress)
    },
  )

  inFullRun(
    'a person with an administrator’s e-mail address is changed with the consent of another administrator, once',
    async () => {
      const consent = await consentOf(owner)

      const answers = [await reset(), await reset()]

      expect([consent, ...answers].map(outcome)).toEqual([200, 200, sameAddress])
    },
  )

  inFullRun('a person with an administrator’s e-mail address is changed by any other administrator', async () => {
    const admin = () =>
      administrator(running, { role: 'admin', domains: [running.domain.id], email: `${unique()}@example.com` })

    const answers = [await reset(owner), await reset(await admin()), await reset()]

    expect(answers.map(outcome)).toEqual([200, 200, sameAddress])
  })

  it('an administrator with the e-mail address of a verified caller cannot change that person, who may be the administrator', async () => {
    const hal = await administrator(running, {
      role: 'helpdesk',
      domains: [running.domain.id],
      email: 'hal@example.com',
    })
    const caller = await personWithDevice(running)
    await running.call('PUT', `/users/${caller.id}`, { body: { email: 'hal@example.com' } })
    await (await askedCaller(hal, caller)).confirm()

    expect(outcome(await hal.call('POST', `/people/${caller.id}/reset`, { body: { because } }))).toBe(sameAddress)
  })

  it('a person who takes over an administrator’s e-mail address is not immune: an owner says they are somebody else', async () => {
    id = await person()
    await running.call('PUT', `/users/${id}`, { body: { email } })
    const before = await reset()

    const decided = await decide(false)

    expect(decided.json).toMatchObject({ user: null, namesakes: [id] })
    expect([before, await reset()].map(outcome)).toEqual([sameAddress, 200])
  })

  it('a person is the administrator’s own record once an owner has said so, whatever its address, and no consent helps', async () => {
    const decided = await decide(true)
    await running.call('PUT', `/users/${id}`, { body: { email: 'another@example.com' } })

    const body = { operation: 'resetPerson', because }
    const answers = [await reset(), await ada.call('POST', `/people/${id}/consents`, { body })]

    expect(decided.json).toMatchObject({ user: id, namesakes: [] })
    expect(answers.map(outcome)).toEqual(Array(2).fill('api.error.forbidden.own'))
  })

  inFullRun('what an owner said last about an administrator’s own record counts', async () => {
    await decide(true)
    const denied = await decide(false)
    const linked = await decide(true)

    expect([denied.json, linked.json]).toMatchObject([
      { user: null, namesakes: [id] },
      { user: id, namesakes: [] },
    ])
  })

  it('an administrator cannot consent to a change of a person with the administrator’s e-mail address', async () => {
    const [hal, namesake] = [ada, await administrator(running, { role: 'admin', domains: [running.domain.id], email })]
    const mine = await hal.call('POST', `/people/${id}/consents`, { body: { operation: 'resetPerson', because } })

    expect(outcome(await namesake.call('POST', `/consents/${mine.json.id}/give`))).toBe('api.error.forbidden.own')
  })

  it('only another owner decides about an administrator’s own record, never the administrator or their second account', async () => {
    const self = await administrator(running, { role: 'owner', email })
    const second = await administrator(running, { role: 'owner', email: email.toUpperCase() })

    const answers = [
      await decide(false, self, id, self.id),
      await decide(false, second, id, self.id),
      await decide(false, ada),
      await decide(false, owner, 'ab'.repeat(20)),
    ]

    expect(answers.map(outcome)).toEqual([
      'api.error.forbidden.own',
      'api.error.forbidden.own',
      'api.error.forbidden',
      'api.error.notfound.user',
    ])
  })
})
