import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { mainEngines, useEngine } from '../../../support/engines.ts'
import { unique } from '../codes/code-holder.ts'
import { newUser } from '../../start-service.ts'
import type { Answer } from '../../start-service.ts'
import { administrator, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'

const because = 'lost_device'
const guarded = 'api.error.forbidden.guarded'

describe.each(mainEngines)('a consent on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string
  let hal: Signed
  let ada: Signed

  type Signed = Awaited<ReturnType<typeof administrator>>

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    hal = await signed('helpdesk')
    ada = await signed('admin')
  })

  function signed(role: 'owner' | 'admin' | 'helpdesk', email = `${unique()}@example.com`) {
    return administrator(running, { role, domains: role === 'owner' ? [] : [running.domain.id], email })
  }
  async function person(more: object = {}): Promise<string> {
    const { json } = await running.call('POST', '/users', { body: { ...newUser(unique()), ...more } })
    await running.call('PUT', `/domains/${running.domain.id}/users/${json.id}`)
    return json.id as string
  }
  const ask = (id: string, operation = 'resetPerson', parameters: object = {}, by = hal) =>
    by.call('POST', `/people/${id}/consents`, { body: { operation, parameters, because } })
  const give = (consent: { json: { id: string } }, by = ada) => by.call('POST', `/consents/${consent.json.id}/give`)
  const deny = (consent: { json: { id: string } }, by = ada) => by.call('POST', `/consents/${consent.json.id}/deny`)
  const reset = (id: string, by = hal) => by.call('POST', `/people/${id}/reset`, { body: { because } })
  const seenBy = async ({ call }: Signed, id: string) =>
    (await call('GET', '/consents')).json.find((each: { id: string }) => each.id === id)
  const outcome = ({ status, code }: Pick<Answer, 'status' | 'code'>) => code ?? status

  it('a consent is asked for once at a time: a second request about the same person replaces the first', async () => {
    const id = await person()

    const requests = await Promise.all([1, 2, 3].map(() => ask(id)))
    const open = (await hal.call('GET', '/consents')).json.filter(
      ({ person: { id: about } }: { person: { id: string } }) => about === id,
    )

    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(open).toHaveLength(1)
  })

  it('any administrator can deny a consent, also after another has given it, until it is used', async () => {
    const [id, owner] = [await person(), await signed('owner')]
    const request = await ask(id)
    await give(request)

    const denied = await deny(request, owner)
    const answers = [await give(request), await reset(id)]

    expect([denied.status, denied.json.state]).toEqual([200, 'denied'])
    expect(answers.map(outcome)).toEqual(['api.error.conflict.state', guarded])
  })

  it('a consent is never both given and denied when two colleagues answer at once', async () => {
    const [id, owner] = [await person(), await signed('owner')]
    const request = await ask(id)

    const [, denied] = await Promise.all([give(request), deny(request, owner)])

    expect([denied.status, await reset(id).then(outcome)]).toEqual([200, guarded])
  })

  it('a consent shows the colleague the exact parameters and every domain in which the action counts', async () => {
    const id = await person()
    const [code, link] = [
      await ask(id, 'createPersonBypassCode', { usesAllowed: '1000', expirationTime: 525_600 }),
      await ask(await person(), 'sendEnrollmentMail', { domainId: running.domain.id }),
    ]

    const [seenCode, seenLink] = [await seenBy(ada, code.json.id), await seenBy(ada, link.json.id)]

    const domains = [{ id: running.domain.id, name: running.domain.name }]
    expect(seenCode).toMatchObject({ parameters: { usesAllowed: 1000, expirationTime: 525_600 }, domains, because })
    // Fields that were left out have the value with which the action is carried out.
    expect(seenLink).toMatchObject({ parameters: { domainId: running.domain.id, days: 7 }, domains })
  })

  it.each([
    ['another value', 'usesAllowed', 3],
    ['another reason', 'because', 'fraud'],
  ])('a consent is not used for %s than the colleague has seen', async (_, field, value) => {
    const id = await person()
    const parameters = { usesAllowed: 1, expirationTime: 60 }
    await give(await ask(id, 'createPersonBypassCode', parameters))
    const make = (more: object) =>
      hal.call('POST', `/people/${id}/bypass-codes`, { body: { because, ...parameters, ...more } })

    const answers = [await make({ [field]: value }), await make({})]

    expect(answers.map(outcome)).toEqual([guarded, 200])
  })

  it.each([
    ['an unknown field', 'changePersonEmail', { email: 'a@example.com', username: 'a' }],
    ['a missing field', 'changePersonEmail', {}],
    ['a wrong value', 'createPersonBypassCode', { usesAllowed: 0, expirationTime: 60 }],
    ['a secret', 'resynchronizePersonHardware', { first: '123456', second: '654321' }],
  ])('a consent is not asked for with %s', async (_, operation, parameters) => {
    expect((await ask(await person(), operation, parameters)).code).toBe('api.error.invalid.parameters')
  })

  it('a consent is void as soon as the person belongs to another domain', async () => {
    const id = await person()
    const [pending, granted] = [await ask(id), await ask(id, 'resetPerson', {}, await signed('helpdesk'))]
    await give(granted)

    await running.call('PUT', `/domains/${otherDomain}/users/${id}`)
    const owner = await signed('owner')

    expect((await seenBy(owner, granted.json.id)).state).toBe('void')
    expect(outcome(await give(pending, owner))).toBe('api.error.conflict.state')
    await running.call('DELETE', `/domains/${otherDomain}/users/${id}`)
    expect((await seenBy(owner, granted.json.id)).state).toBe('given')
  })

  it.each([
    ['lost the access', (id: string, owner: Signed) => owner.call('DELETE', `/administrators/${id}`)],
    [
      'became an agent of the help desk',
      (id: string, owner: Signed) =>
        owner.call('PUT', `/administrators/${id}`, {
          body: { role: 'helpdesk', domains: [running.domain.id] },
          headers: { 'if-match': '"1"' },
        }),
    ],
    [
      'was moved to another app',
      (id: string, owner: Signed) =>
        owner.call('PUT', `/administrators/${id}`, {
          body: { role: 'admin', domains: [otherDomain] },
          headers: { 'if-match': '"1"' },
        }),
    ],
  ])('a consent does not count once the colleague %s', async (_, change) => {
    const [id, owner] = [await person(), await signed('owner')]
    await give(await ask(id))

    const changed = await change(ada.id, owner)

    expect([changed.status, await reset(id).then(outcome)]).toEqual([200, guarded])
  })

  it('a consent does not count once the person has the e-mail address of its colleague', async () => {
    const [id, email] = [await person(), `${unique()}@example.com`]
    const colleague = await signed('admin', email)
    await give(await ask(id), colleague)

    await running.call('PUT', `/users/${id}`, { body: { email } })

    expect(outcome(await reset(id))).toBe(guarded)
  })

  it('a request for consent does not name the person once the requester sees the person no more', async () => {
    const [id, owner] = [await person(), await signed('owner')]
    const { json: request } = await ask(id)
    const { json: administrators } = await owner.call('GET', '/administrators')
    const { version } = administrators.find((each: { id: string }) => each.id === hal.id)

    await owner.call('PUT', `/administrators/${hal.id}`, {
      body: { role: 'helpdesk', domains: [otherDomain] },
      headers: { 'if-match': `"${version}"` },
    })

    expect((await hal.call('GET', `/people/${id}`)).status).toBe(404)
    expect((await seenBy(hal, request.id)).person).toEqual({ id, username: '', name: '' })
    expect((await seenBy(owner, request.id)).person.username).not.toBe('')
  })

  it('a consent cannot be given for a requester whose access was revoked', async () => {
    const [id, owner] = [await person(), await signed('owner')]
    const request = await ask(id)
    await owner.call('DELETE', `/administrators/${hal.id}`)

    expect(outcome(await give(request))).toBe('api.error.conflict.state')
  })

  it('a consent to the same change cannot be asked for again for 15 minutes after a denial', async () => {
    const id = await person()
    await deny(await ask(id))

    const [repeated, other] = [await ask(id), await ask(id, 'deletePersonBypassCodes')]
    running.clock.skip(899)
    await hal.confirm()
    const early = await ask(id)
    running.clock.skip(1)
    const later = await ask(id)

    const tooEarly = 'api.error.toomanyrequests'
    expect([repeated, other, early, later].map(outcome)).toEqual([tooEarly, 200, tooEarly, 200])
  })

  it('an administrator asks for at most 20 consents in an hour, and those of others are still shown', async () => {
    const [id, kim] = [await person(), await signed('helpdesk')]
    const mine = await ask(id, 'resetPerson', {}, kim)

    const answers = []
    for (let count = 0; count < 21; count += 1) answers.push(await ask(await person()))

    expect(answers.map(outcome)).toEqual([...Array(20).fill(200), 'api.error.toomanyrequests'])
    expect(await seenBy(ada, mine.json.id)).toMatchObject({ state: 'pending', givable: true })
  })

  it('the help desk cannot ask for consent to an action that no consent allows', async () => {
    const id = await person()
    await running.call('PUT', `/domains/${otherDomain}/users/${id}`)

    expect(outcome(await ask(id))).toBe('api.error.forbidden.elsewhere')
    expect(outcome(await ask(id, 'sendEnrollmentMail', { domainId: otherDomain }))).toBe('api.error.notfound.domain')
  })
})
