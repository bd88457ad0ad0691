import { expect, it } from 'vitest'

import { member } from '../code-holder.ts'
import { activateDevice } from '../start-service.ts'
import type { Subject } from './operation.ts'
import { operation } from './operation.ts'

const tokenOf = async (subject: Subject) => `/domains/${subject.domain.id}/users/${(await member(subject)).id}/token`

operation('PUT /domains/{domainId}/users/{userId}/token', (subject) => {
  it('issues a token, and answers it as it is from then on', async () => {
    const path = await tokenOf(subject())

    const first = await subject().call13('PUT', path)
    const second = await subject().call13('PUT', path)

    expect(first.text).toMatch(/^\{"state":"pending","code":"[a-z2-9]{10}"\}$/)
    expect(second.text).toBe(first.text)
  })
})

operation('GET /domains/{domainId}/users/{userId}/token', (subject) => {
  it('shows the code while the token is pending, and never after', async () => {
    const path = await tokenOf(subject())
    const { text, json } = await subject().call13('PUT', path)

    const pending = await subject().call13('GET', path)
    await activateDevice(subject().origin, subject().clock, json.code)
    const active = await subject().call13('GET', path)

    expect(pending.text).toBe(text)
    expect(active.text).toBe('{"state":"active"}')
  })

  it('knows no token where none was issued', async () => {
    const answer = await subject().call('GET', await tokenOf(subject()))

    expect(answer.code).toBe('api.error.notfound.token')
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/token', (subject) => {
  it('revokes the token once', async () => {
    const path = await tokenOf(subject())
    await subject().call('PUT', path)

    const first = await subject().call('DELETE', path)
    const second = await subject().call('DELETE', path)

    expect([first.status, first.text]).toEqual([200, ''])
    expect(second.code).toBe('api.error.notfound.token')
  })
})
