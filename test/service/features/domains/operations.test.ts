import { expect, it } from 'vitest'

import { member, unique } from '../codes/code-holder.ts'
import { newUser, unknownId } from '../../start-service.ts'
import { operation } from '../../operation.ts'

operation('GET /domains/{domainId}', (subject) => {
  it('reading a domain returns it with its rules, in 1.3 without number matching and phishing resistance', async () => {
    const { domain, call, call13 } = subject()

    const old = await call13('GET', `/domains/${domain.id}`)
    const current = await call('GET', `/domains/${domain.id}`)

    expect(old.text).toMatch(`{"id":"${domain.id}","name":"Domain","type":"WEB","keyType":"NONE",`)
    expect(current.json).toEqual({
      ...old.json,
      numberMatching: 'offered',
      phishingResistant: 'off',
      synchronizationVersion: 0,
    })
  })

  it('reading an unknown domain finds none', async () => {
    const answer = await subject().call('GET', `/domains/${unknownId}`)

    expect(answer.code).toBe('api.error.notfound.domain')
  })
})

operation('GET /domains/{domainId}/image', (subject) => {
  it('the image of a domain is a PNG, without content for callers that already have it', async () => {
    const path = `/domains/${subject().domain.id}/image`
    const get = (headers = {}) =>
      fetch(`${subject().origin}/api${path}`, {
        headers: { authorization: `Service key="${subject().apiKey}"`, ...headers },
      })
    // Recorded by `call`.
    await subject().call('HEAD', path)
    await subject().call('GET', path)

    const image = await get()
    const bytes = Buffer.from(await image.arrayBuffer())
    const notModified = await get({ 'if-none-match': image.headers.get('etag') })

    expect(image.headers.get('content-type')).toBe('image/png')
    expect(bytes.subarray(0, 8)).toEqual(Buffer.from('89504e470d0a1a0a', 'hex'))
    expect(notModified.status).toBe(304)
  })
})

operation('POST /domains/{domainId}/emergencies', (subject) => {
  it('an emergency of an app is recorded in the audit trail, and changes nothing', async () => {
    const path = `/domains/${subject().domain.id}/emergencies`
    const before = await subject().call('GET', `/domains/${subject().domain.id}`)

    const answer = await subject().call('POST', path, { body: { until: 1_795_007_200 } })

    expect(answer.status).toBe(200)
    expect((await subject().call('GET', `/domains/${subject().domain.id}`)).json).toEqual(before.json)
  })

  it.each([-1, 1.5, '1795007200', null, 99_999_999_999])('an emergency until %j is refused', async (until) => {
    const answer = await subject().call('POST', `/domains/${subject().domain.id}/emergencies`, { body: { until } })

    expect(answer.status).toBe(400)
  })
})

operation('PUT /domains/{domainId}/users/{userId}', (subject) => {
  it('adding a user to a domain makes the user a member, and does nothing for an existing member', async () => {
    const { call, domain } = subject()
    const { json: user } = await call('POST', '/users', { body: newUser(unique()) })
    const path = `/domains/${domain.id}/users/${user.id}`

    const answers = [await call('PUT', path), await call('PUT', path)]

    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect((await call('GET', `/users/${user.id}`)).json.domains).toEqual([domain.id])
  })
})

operation('GET /domains/{domainId}/users/{userId}', (subject) => {
  it('reading a user of a domain returns a member, and no other user', async () => {
    const { call, domain } = subject()
    const { id, username } = await member(subject())
    const { json: stranger } = await call('POST', '/users', { body: newUser(unique()) })

    const inside = await call('GET', `/domains/${domain.id}/users/${id}`)
    const outside = await call('GET', `/domains/${domain.id}/users/${stranger.id}`)

    expect(inside.json).toMatchObject({ id, username, domains: [domain.id] })
    expect(outside.code).toBe('api.error.notfound.user')
  })
})

operation('GET /domains/{domainId}/users', (subject) => {
  it('listing the members of a domain returns them in the order in which they were added', async () => {
    const { call, domain } = subject()
    const [first, second] = [await member(subject()), await member(subject())]

    const { json, headers } = await call('GET', `/domains/${domain.id}/users`)

    expect(json.map((user: { id: string }) => user.id)).toEqual([first.id, second.id])
    expect(headers.get('link')).toContain(`</api/domains/${domain.id}/users?page=1>; rel="first"`)
  })

  it('reading the members of a domain by key returns those after the key', async () => {
    const { call, domain } = subject()
    await member(subject())

    const { json, headers } = await call('GET', `/domains/${domain.id}/users?after=`)
    const past = await call('GET', `/domains/${domain.id}/users?after=999999999`)

    expect([json.length > 0, past.json]).toEqual([true, []])
    expect(headers.get('link')).toContain(`</api/domains/${domain.id}/users?after=>; rel="first"`)
  })
})

operation('DELETE /domains/{domainId}/users/{userId}', (subject) => {
  it('a user who is removed from a domain remains a user', async () => {
    const { call, domain } = subject()
    const { id, path } = await member(subject())

    const answer = await call('DELETE', `/domains/${domain.id}/users/${id}`)

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await call('GET', path)).json.domains).toEqual([])
  })
})

operation('PUT /domains/{domainId}/users', (subject) => {
  it('setting the members of a domain adds missing ones and removes those who are not in the body', async () => {
    const { call, domain } = subject()
    const [leaving, staying] = [await member(subject()), await member(subject())]
    const body = [newUser(staying.username), newUser('arriving')]

    const answer = await call('PUT', `/domains/${domain.id}/users`, { body })
    const { json } = await call('GET', `/domains/${domain.id}/users`)

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(json.map((user: { username: string }) => user.username).sort()).toEqual(
      [staying.username, 'arriving'].sort(),
    )
    expect((await call('GET', leaving.path)).json.domains).toEqual([])
  })

  it('setting the members of a domain treats identical rows as one', async () => {
    const { call, domain } = subject()
    const row = newUser(unique())

    const answer = await call('PUT', `/domains/${domain.id}/users`, { body: [row, newUser(unique()), row] })
    const { json } = await call('GET', `/domains/${domain.id}/users`)

    expect(answer.status).toBe(200)
    expect(json).toHaveLength(2)
  })

  it('setting the members of a domain changes nothing if one row is invalid, and names its position', async () => {
    const { call, domain } = subject()
    const { id } = await member(subject())

    const answer = await call('PUT', `/domains/${domain.id}/users`, { body: [newUser(unique()), { username: 'x' }] })

    expect(answer.code).toBe('api.error.invalid.users')
    expect(answer.json.errors[0].message).toContain('1')
    expect((await call('GET', `/domains/${domain.id}/users/${id}`)).status).toBe(200)
  })
})
