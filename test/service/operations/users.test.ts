import { expect, it } from 'vitest'

import { member, unique } from '../codes/code-holder.ts'
import { newUser, unknownId } from '../start-service.ts'
import { operation } from './operation.ts'

operation('POST /users', (subject) => {
  it('adds a user, who belongs nowhere and has nothing', async () => {
    const { text, json } = await subject().call13('POST', '/users', { body: newUser('new') })

    expect(text).toBe(
      `{"id":"${json.id}","username":"new","name":"Name of new","email":"somebody@example.com","domains":[],"hardware":"","bypasscodes":[]}`,
    )
  })

  it('tells callers of 1.4 about factors', async () => {
    const { json } = await subject().call('POST', '/users', { body: newUser(unique()) })

    expect(json).toMatchObject({ factors: [], everEnrolled: false })
  })

  it('needs a username, a name and an e-mail address', async () => {
    const { username, name, email } = newUser(unique())
    const incomplete = [
      { name, email },
      { username, email },
      { username, name },
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
  it('finds the user of a username', async () => {
    const { username, id } = await member(subject())

    const { json } = await subject().call('GET', `/users?username=${username}`)
    const nobody = await subject().call('GET', '/users?username=nobody')

    expect(json).toMatchObject({ id, username })
    expect(nobody.code).toBe('api.error.notfound.user')
  })

  it('lists users where no username is given', async () => {
    const { id } = await member(subject())

    const { json } = await subject().call('GET', '/users')

    expect(json.map((user: { id: string }) => user.id)).toContain(id)
  })
})

operation('GET /users/{userId}', (subject) => {
  it('shows the user as it was made', async () => {
    const { text, json } = await subject().call13('POST', '/users', { body: newUser(unique()) })

    const read = await subject().call13('GET', `/users/${json.id}`)
    const nobody = await subject().call('GET', `/users/${unknownId}`)

    expect(read.text).toBe(text)
    expect(nobody.code).toBe('api.error.notfound.user')
  })
})

operation('PUT /users/{userId}', (subject) => {
  it('changes what is given and leaves the rest', async () => {
    const { path, username } = await member(subject())

    const { json } = await subject().call('PUT', path, { body: { name: 'Another' } })

    expect(json).toMatchObject({ username, name: 'Another', email: 'somebody@example.com' })
  })

  it('never changes the username', async () => {
    const { path, username } = await member(subject())

    const other = await subject().call('PUT', path, { body: { username: 'another' } })
    const same = await subject().call('PUT', path, { body: { username } })

    expect([other.code, same.status]).toEqual(['api.error.invalid.username', 200])
  })
})

operation('DELETE /users/{userId}', (subject) => {
  it('deletes the user once', async () => {
    const { path } = await member(subject())

    const first = await subject().call('DELETE', path)
    const second = await subject().call('DELETE', path)

    expect([first.status, first.text]).toEqual([200, ''])
    expect(second.code).toBe('api.error.notfound.user')
  })
})
