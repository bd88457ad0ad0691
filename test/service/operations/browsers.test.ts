import { expect, it } from 'vitest'

import { hardwareToken, member } from '../codes/code-holder.ts'
import { operation } from './operation.ts'
import type { Subject } from './operation.ts'

async function remembered(subject: Subject) {
  const person = await member(subject)
  const path = `/domains/${subject.domain.id}/users/${person.id}/browsers`
  const { json } = await subject.call('POST', path, { body: { days: 30 } })
  const recognise = () => subject.call('POST', `${path}/recognise`, { body: { marker: json.marker } })
  return { ...person, browsers: path, json, recognise }
}

operation('POST /domains/{domainId}/users/{userId}/browsers', (subject) => {
  it('makes a marker that says nothing by itself, for 90 days at most', async () => {
    const { json, browsers, id } = await remembered(subject())

    const tooLong = await subject().call('POST', browsers, { body: { days: 91 } })

    expect(json).toEqual({ marker: expect.stringMatching(/^[\w.-]+$/), expiresAt: subject().clock.now() + 30 * 86_400 })
    expect(Buffer.from(json.marker, 'base64url').toString()).not.toContain(id)
    expect(tooLong.code).toBe('api.error.malformed')
  })
})

operation('POST /domains/{domainId}/users/{userId}/browsers/recognise', (subject) => {
  it('knows the marker until it expires', async () => {
    const { json, recognise } = await remembered(subject())

    const first = await recognise()
    await subject().clock.advance(30 * 86_400)
    const late = await recognise()

    expect(first.json).toEqual({ expiresAt: json.expiresAt })
    expect(late.code).toBe('api.error.notfound.browser')
  })

  it('knows no marker of somebody else, and none that was changed', async () => {
    const [one, other] = [await remembered(subject()), await remembered(subject())]
    const path = `${one.browsers}/recognise`
    const changed = one.json.marker.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'))

    const answers = await Promise.all(
      [other.json.marker, changed, ''].map((marker) => subject().call('POST', path, { body: { marker } })),
    )

    expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.notfound.browser'))
  })

  it('knows it no more once anything has changed that the user passes the second step with', async () => {
    const person = await remembered(subject())

    await person.enrolApp()

    expect((await person.recognise()).code).toBe('api.error.notfound.browser')
  })

  it('knows it no more, also when what was taken away is given back', async () => {
    const person = await member(subject())
    const token = await hardwareToken(subject())
    const [hardware, membership] = [
      `${person.path}/hardware/${token.id}`,
      `/domains/${subject().domain.id}/users/${person.id}`,
    ]
    await subject().call('PUT', hardware)
    const mark = async () => (await subject().call('POST', `${membership}/browsers`, { body: { days: 1 } })).json.marker
    const recognise = async (marker: string) =>
      (await subject().call('POST', `${membership}/browsers/recognise`, { body: { marker } })).code

    const first = await mark()
    await subject().call('DELETE', `${person.path}/hardware`)
    await subject().call('PUT', hardware)
    const afterHardware = await recognise(first)
    const second = await mark()
    await subject().call('DELETE', membership)
    await subject().call('PUT', membership)
    await subject().call('PUT', hardware)

    expect([afterHardware, await recognise(second)]).toEqual(Array(2).fill('api.error.notfound.browser'))
  })

  it('knows it in its own domain alone', async () => {
    const person = await remembered(subject())
    const other = await subject().service.administration.createDomain(subject().organization.id, { name: 'Other' })
    await subject().call('PUT', `/domains/${other.id}/users/${person.id}`)

    const path = `/domains/${other.id}/users/${person.id}/browsers/recognise`
    const answer = await subject().call('POST', path, { body: { marker: person.json.marker } })

    expect(answer.code).toBe('api.error.notfound.browser')
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/browsers', (subject) => {
  it('makes every marker there is worthless, and none of those made after', async () => {
    const person = await remembered(subject())

    await subject().call('DELETE', person.browsers)

    const { json } = await subject().call('POST', person.browsers, { body: { days: 1 } })
    const path = `${person.browsers}/recognise`
    expect((await person.recognise()).code).toBe('api.error.notfound.browser')
    expect((await subject().call('POST', path, { body: { marker: json.marker } })).status).toBe(200)
  })
})
