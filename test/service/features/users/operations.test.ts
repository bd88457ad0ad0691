import { expect, it } from 'vitest'

import { member, unique } from '../codes/code-holder.ts'
import { newUser, unknownId } from '../../start-service.ts'
import { operation } from '../../operation.ts'

operation('POST /users', (subject) => {
  it('adding a user creates one without domains and factors', async () => {
    const { text, json } = await subject().call13('POST', '/users', { body: newUser('new') })

    expect(text).toBe(
      `{"id":"${json.id}","username":"new","name":"Name of new","email":"somebody@example.com","domains":[],"hardware":"","bypasscodes":[]}`,
    )
  })

  it('adding a user returns factors to callers of 1.4', async () => {
    const { json } = await subject().call('POST', '/users', { body: newUser(unique()) })

    expect(json).toMatchObject({ factors: [], everEnrolled: false })
  })

  it('adding a user rejects a provisioned one whose name could be mistaken for another one, since 1.4', async () => {
    const name = `Straße ${unique()}`
    const create = (username: string, more: object, call = subject().call) =>
      call('POST', '/users', { body: { ...newUser(username), ...more } })
    await create(name, {})

    const provisioned = await create(name.toUpperCase(), { provision: true })
    const same = await create(name, { provision: true })
    const old = await create(name.toUpperCase(), { provision: true }, subject().call13)

    expect([provisioned.code, same.code]).toEqual(['api.error.conflict.similarusername', 'api.error.conflict.username'])
    expect(provisioned.json.errors[0].message).toBe(`username: could be mistaken for "${name}", which is registered.`)
    expect(old.json.username).toBe(name.toUpperCase())
  })

  it.each([
    ['U+061C', '\u061C'],
    ['U+200E', '\u200E'],
    ['U+200F', '\u200F'],
    ['U+202A', '\u202A'],
    ['U+202B', '\u202B'],
    ['U+202C', '\u202C'],
    ['U+202D', '\u202D'],
    ['U+202E', '\u202E'],
    ['U+2066', '\u2066'],
    ['U+2067', '\u2067'],
    ['U+2068', '\u2068'],
    ['U+2069', '\u2069'],
  ])(
    'adding a user rejects a provisioned one with the direction control %s in username or name, since 1.4',
    async (_codePoint, control) => {
      const { call } = subject()
      const create = (user: object) => call('POST', '/users', { body: { ...newUser(unique()), ...user } })
      const name = unique()
      const odd = `${name}${control}ecila`

      const provisioned = [
        await create({ username: odd, provision: true }),
        await create({ name: odd, provision: true }),
        await create({ username: odd }),
      ]

      expect(provisioned.map(({ status, code }) => code ?? status)).toEqual([
        'api.error.invalid.username',
        'api.error.invalid.name',
        200,
      ])
    },
  )

  it('adding a user without an e-mail address is accepted in 1.4, and rejected in 1.3', async () => {
    const { username, name } = newUser(unique())

    const old = await subject().call13('POST', '/users', { body: { username, name } })
    const { json } = await subject().call('POST', '/users', { body: { username, name } })

    expect(old.code).toBe('api.error.invalid.email')
    expect(json).toMatchObject({ username, name, email: '' })
  })

  it('adding a user requires a username, a name and a valid e-mail address', async () => {
    const { username, name, email } = newUser(unique())
    const incomplete = [
      { name, email },
      { username, email },
      { username, name, email: 'nowhere' },
    ]

    const answers = await Promise.all(incomplete.map((body) => subject().call('POST', '/users', { body })))

    expect(answers.map(({ code }) => code)).toEqual([
      'api.error.invalid.username',
      'api.error.invalid.name',
      'api.error.invalid.email',
    ])
  })
})

operation('GET /users', (subject) => {
  it('the service finds a user by username', async () => {
    const { username, id } = await member(subject())

    const { json } = await subject().call('GET', `/users?username=${username}`)
    const nobody = await subject().call('GET', '/users?username=nobody')

    expect(json).toMatchObject({ id, username })
    expect(nobody.code).toBe('api.error.notfound.user')
  })

  it('the service lists users if no username is given', async () => {
    const { id } = await member(subject())

    const { json } = await subject().call('GET', '/users')

    expect(json.map((user: { id: string }) => user.id)).toContain(id)
  })
})

operation('GET /users/{userId}', (subject) => {
  it('reading a user returns it as it was created', async () => {
    const { text, json } = await subject().call13('POST', '/users', { body: newUser(unique()) })

    const read = await subject().call13('GET', `/users/${json.id}`)
    const nobody = await subject().call('GET', `/users/${unknownId}`)

    expect(read.text).toBe(text)
    expect(nobody.code).toBe('api.error.notfound.user')
  })
})

operation('PUT /users/{userId}', (subject) => {
  it('updating a user changes the given fields and no others', async () => {
    const { path, username } = await member(subject())

    const { json } = await subject().call('PUT', path, {
      body: { name: 'Another', language: 'pt-BR', timeZone: 'America/Bahia' },
    })

    const changed = { name: 'Another', language: 'pt-BR', timeZone: 'America/Bahia' }
    expect(json).toMatchObject({ username, ...changed, email: 'somebody@example.com' })
  })

  it('updating a user leaves null fields unchanged, as sent by clients that always send all fields', async () => {
    const { path, show } = await member(subject())
    const before = await show()

    const { json } = await subject().call('PUT', path, { body: { name: null, email: null } })

    expect(json).toEqual(before)
  })

  it('updating a user never changes the username', async () => {
    const { path, username } = await member(subject())

    const other = await subject().call('PUT', path, { body: { username: 'another' } })
    const same = await subject().call('PUT', path, { body: { username } })

    expect([other.code, same.status]).toEqual(['api.error.invalid.username', 200])
  })
})

operation('DELETE /users/{userId}', (subject) => {
  it('a user can be deleted once', async () => {
    const { path } = await member(subject())

    const first = await subject().call('DELETE', path)
    const second = await subject().call('DELETE', path)

    expect([first.status, first.text]).toEqual([200, ''])
    expect(second.code).toBe('api.error.notfound.user')
  })
})

operation('POST /domains/{domainId}/users/{userId}/epoch', (subject) => {
  it('ending the sessions of a user gives the user a new epoch', async () => {
    const { id, show } = await member(subject())
    const { epoch: before } = await show()

    const { json } = await subject().call('POST', `/domains/${subject().domain.id}/users/${id}/epoch`, { body: {} })

    expect(json.epoch).not.toBe(before)
    expect((await show()).epoch).toBe(json.epoch)
  })
})
