import { randomUUID } from 'node:crypto'

import { expect, it } from 'vitest'

import { member } from '../codes/code-holder.ts'
import { browserUser, passByCode } from './known-browser.ts'
import { activateDevice } from '../../start-service.ts'
import { operation } from '../../operation.ts'

const day = 86_400

operation('POST /domains/{domainId}/users/{userId}/browsers/recognize', (subject) => {
  it('the service recognizes a browser for 180 days after its last sign-in', async () => {
    const person = await browserUser(subject())
    const known = await person.pass()
    const refreshed = await person.pass({ id: known?.id })

    const { json } = await person.recognize(known?.id)

    expect(refreshed?.id).toBe(known?.id)
    expect(json).toEqual({ expiresAt: subject().clock.now() - 30 + 180 * day })
  })

  it('recognizing a browser returns until when it is remembered, if the user chose that', async () => {
    const person = await browserUser(subject())
    const known = await person.pass({ rememberDays: 1 })

    const first = await person.recognize(known?.id)
    subject().clock.skip(day)
    const later = await person.recognize(known?.id)

    expect(first.json).toEqual({ expiresAt: known?.expiresAt, rememberedUntil: known?.rememberedUntil })
    expect(later.json).toEqual({ expiresAt: known?.expiresAt })
  })

  it('the service does not recognize a browser of another user, even if both have the same factors', async () => {
    const [person, otherPerson] = [await member(subject()), await member(subject())]
    const { json } = await subject().call('POST', `${person.path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 0 },
    })
    const known = await passByCode(subject(), { user: { id: person.id }, bypasscode: json.code })
    const recognize = ({ id }: { id: string }) =>
      subject().call('POST', `/domains/${subject().domain.id}/users/${id}/browsers/recognize`, {
        body: { browser: known?.id },
      })

    expect((await recognize(person)).status).toBe(200)
    expect((await recognize(otherPerson)).code).toBe('api.error.notfound.browser')
  })

  it('recognizing a browser by an invalid id finds none', async () => {
    const person = await browserUser(subject())

    const answers = await Promise.all(['', undefined, 'a'.repeat(5000)].map((browser) => person.recognize(browser)))

    expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.notfound.browser'))
  })

  it('the service no longer recognizes a browser after any factor of the user changes', async () => {
    const person = await browserUser(subject())
    const { json: domainUser } = await subject().call('GET', person.path)
    const known = await person.pass()

    await subject().call('DELETE', `/hardware/${domainUser.hardware}`)

    expect(await person.isKnown(known?.id)).toBe(false)
  })

  it('the service does not recognize a browser again when a removed factor is given back', async () => {
    const person = await browserUser(subject())
    const [hardware, membership] = [
      `${person.path}/hardware/${person.token.id}`,
      `/domains/${subject().domain.id}/users/${person.id}`,
    ]
    const first = await person.pass()
    await subject().call('DELETE', `${person.path}/hardware`)
    await subject().call('PUT', hardware)
    const afterHardware = await person.isKnown(first?.id)
    const second = await person.pass()
    await subject().call('DELETE', membership)
    await subject().call('PUT', membership)
    await subject().call('PUT', hardware)

    expect([afterHardware, await person.isKnown(second?.id)]).toEqual([false, false])
  })

  it('the service does not recognize a browser again after its user has left the domain and come back', async () => {
    const person = await browserUser(subject())
    const { id } = await subject().service.administration.createDomain(subject().organization.id, {
      name: randomUUID(),
    })
    // Members of another domain keep their hardware token.
    await subject().call('PUT', `/domains/${id}/users/${person.id}`)
    const known = await person.pass()
    const membership = `/domains/${subject().domain.id}/users/${person.id}`

    await subject().call('DELETE', membership)
    await subject().call('PUT', membership)

    expect(await person.isKnown(known?.id)).toBe(false)
  })

  it('the service recognizes a browser only in its own domain', async () => {
    const person = await browserUser(subject())
    const known = await person.pass()
    const other = await subject().service.administration.createDomain(subject().organization.id, { name: 'Other' })
    await subject().call('PUT', `/domains/${other.id}/users/${person.id}`)

    const path = `/domains/${other.id}/users/${person.id}/browsers/recognize`
    const answer = await subject().call('POST', path, { body: { browser: known?.id } })

    expect(answer.code).toBe('api.error.notfound.browser')
  })
})

operation('POST /domains/{domainId}/users/{userId}/browsers/list', (subject) => {
  it('listing browsers returns the user’s remembered ones in the domain and marks the one that asks', async () => {
    const person = await browserUser(subject())
    const { clock } = subject()
    const first = await person.pass({ rememberDays: 30, name: 'Firefox · \u202eAndroid' })
    const second = await person.pass({ rememberDays: 1 })
    // Known, but not remembered.
    await person.pass()
    const at = clock.now()

    const { json } = await subject().call('POST', `${person.browsers}/list`, { body: { browser: first?.id } })

    expect(json).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        knownSince: at - 60,
        lastUsedAt: at - 60,
        rememberedUntil: second?.rememberedUntil,
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        name: 'Firefox · Android',
        knownSince: at - 90,
        lastUsedAt: at - 90,
        rememberedUntil: first?.rememberedUntil,
        current: true,
      },
    ])
  })

  it('the service notes once a day that a browser is used without a second step', async () => {
    const person = await browserUser(subject())
    const known = await person.pass({ rememberDays: 30 })
    const used = async () => {
      await person.recognize(known?.id)
      return (await subject().call('POST', `${person.browsers}/list`, { body: {} })).json[0].lastUsedAt
    }
    const passed = await used()
    subject().clock.skip(day)

    const later = await used()
    subject().clock.skip(day - 1)

    expect([later - passed, await used()]).toEqual([day + 30, later])
  })

  it('listing browsers returns none after any factor of the user changes', async () => {
    const person = await browserUser(subject())
    await person.pass({ rememberDays: 30 })
    const { json } = await subject().call('PUT', `/domains/${subject().domain.id}/users/${person.id}/token`)

    await activateDevice(subject().origin, subject().clock, json.code)

    expect((await subject().call('POST', `${person.browsers}/list`, { body: {} })).json).toEqual([])
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/browsers/{browserId}', (subject) => {
  it('deleting a browser forgets it for its user and for no other user of that browser', async () => {
    const [person, other] = [await browserUser(subject()), await browserUser(subject())]
    const keptBrowser = await person.pass({ rememberDays: 30 })
    const first = await person.pass({ rememberDays: 30 })
    const shared = await other.pass({ id: first?.id, rememberDays: 30 })
    const list = async () =>
      (await subject().call('POST', `${person.browsers}/list`, { body: { browser: shared?.id } })).json
    const [{ id }] = (await list()).filter(({ current }: { current?: true }) => current)

    const { status } = await subject().call('DELETE', `${person.browsers}/${id}`)
    const secondDeletion = await subject().call('DELETE', `${person.browsers}/${id}`)

    expect([status, secondDeletion.code]).toEqual([200, 'api.error.notfound.browser'])
    expect([await person.isKnown(shared?.id), await person.isKnown(keptBrowser?.id)]).toEqual([false, true])
    expect(await other.isKnown(shared?.id)).toBe(true)
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/browsers', (subject) => {
  it('deleting a user’s browsers forgets all of them and none of another user', async () => {
    const [person, other] = [await browserUser(subject()), await browserUser(subject())]
    const [first, second] = [await person.pass(), await person.pass()]
    const shared = await other.pass({ id: first?.id })

    await subject().call('DELETE', person.browsers)

    expect([await person.isKnown(shared?.id), await person.isKnown(second?.id)]).toEqual([false, false])
    expect(await other.isKnown(shared?.id)).toBe(true)
  })
})

operation('POST /domains/{domainId}/users/{userId}/pauses', (subject) => {
  it('the pauses of a user are empty when no limit applies, and reading them counts nothing', async () => {
    const person = await browserUser(subject())

    const answers = await Promise.all(Array.from({ length: 20 }, () => person.pauses()))

    expect(answers).toEqual(answers.map(() => ({})))
  })

  it('the pauses say until when codes are locked for this browser and not for others', async () => {
    const person = await browserUser(subject())
    const known = await person.pass()
    await person.guess(10)

    expect(await person.pauses()).toEqual({ codes: { until: subject().clock.now() + 900 } })
    expect(await person.pauses(known?.id)).toEqual({})
  })

  it('the pauses name no end of the lock when only an administrator can unlock codes', async () => {
    const person = await browserUser(subject())
    for (let round = 0; round < 5; round += 1) {
      await person.guess(10)
      subject().clock.skip(day)
    }

    expect(await person.pauses()).toEqual({ codes: {} })
  })

  it('the pauses say when all limits allow a request again, not only the first', async () => {
    const { user, device, pending, sessions } = await subject().enroll('asked')
    const path = `/domains/${subject().domain.id}/users/${user.id}/pauses`
    const ask = () => subject().call('POST', sessions, { body: { user: { id: user.id } } })
    for (let times = 0; times < 15; times += 1) {
      await ask()
      const [request] = await pending()
      await device.answer(request!.id, { nonce: request!.nonce, decision: times === 14 ? 'report' : 'deny' })
      if (times % 5 === 4) await subject().clock.advance(times === 14 ? 0 : 600)
    }

    const { json } = await subject().call('POST', path, { body: {} })

    expect(json).toEqual({ push: { until: subject().clock.now() - 1200 + day } })
  })

  it('the pauses mention no requests to a device that was removed', async () => {
    const { user, sessions } = await subject().enroll('removed')
    const path = `/domains/${subject().domain.id}/users/${user.id}/pauses`
    for (let times = 0; times < 5; times += 1) {
      const { json } = await subject().call('POST', sessions, { body: { user: { id: user.id } } })
      await subject().call('DELETE', `${sessions}/${json.id}`)
    }
    const before = await subject().call('POST', path, { body: {} })
    await subject().call('DELETE', `/domains/${subject().domain.id}/users/${user.id}/token`)

    const { json } = await subject().call('POST', path, { body: {} })

    expect([before.json.push, json]).toEqual([{ until: expect.any(Number) }, {}])
  })
})
