import { expect, it } from 'vitest'

import { member } from '../codes/code-holder.ts'
import { operation } from '../../operation.ts'
import type { Subject } from '../../operation.ts'

/** A member with a bypass code. */
async function excused(subject: Subject) {
  const person = await member(subject)
  const body = { usesAllowed: '2', expirationTime: '60' }
  const { text, json } = await subject.call13('POST', `${person.path}/bypasscodes`, { body })
  return { ...person, text, code: json }
}

operation('POST /users/{userId}/bypasscodes', (subject) => {
  it('creating a bypass code returns nine digits that work for its number of uses', async () => {
    const { id, text, code, signIn } = await excused(subject())

    const states = []
    for (let tries = 0; tries < 3; tries += 1) states.push((await signIn({ bypasscode: code.code })).state)

    expect(text).toMatch(
      new RegExp(
        `^\\{"id":"${code.id}","code":"\\d{9}","usesAllowed":2,"usesRemaining":2,"dtExpiry":"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+0000","user":"${id}"\\}$`,
      ),
    )
    expect(states).toEqual(['approved', 'approved', 'denied'])
  })
})

operation('GET /users/{userId}/bypasscodes', (subject) => {
  it('listing a user’s bypass codes returns them with their remaining uses', async () => {
    const { path, code, signIn } = await excused(subject())
    await signIn({ bypasscode: code.code })

    const { json } = await subject().call('GET', `${path}/bypasscodes`)

    expect(json).toEqual([{ ...code, usesRemaining: 1 }])
  })
})

operation('GET /bypasscodes/{bypassCodeId}', (subject) => {
  it('reading a bypass code returns it as it was created', async () => {
    const { text, code } = await excused(subject())

    const read = await subject().call13('GET', `/bypasscodes/${code.id}`)

    expect(read.text).toBe(text)
  })
})

operation('DELETE /users/{userId}/bypasscodes', (subject) => {
  it('deleting a user’s bypass codes deletes all of them and none of another user', async () => {
    const [person, other] = [await excused(subject()), await excused(subject())]

    const answer = await subject().call('DELETE', `${person.path}/bypasscodes`)

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await person.show()).bypasscodes).toEqual([])
    expect((await other.show()).bypasscodes).toEqual([other.code.id])
  })
})

operation('DELETE /bypasscodes/{bypassCodeId}', (subject) => {
  it('a bypass code can be deleted once and then no longer works', async () => {
    const { code, signIn } = await excused(subject())

    const first = await subject().call('DELETE', `/bypasscodes/${code.id}`)
    const second = await subject().call('DELETE', `/bypasscodes/${code.id}`)

    expect([first.status, first.text]).toEqual([200, ''])
    expect(second.code).toBe('api.error.notfound.bypasscode')
    expect((await signIn({ bypasscode: code.code })).state).toBe('denied')
  })
})

operation('PUT /domains/{domainId}/users/{userId}/bypasscodes', (subject) => {
  it('replacing a user’s bypass codes exchanges all of them for five new ones', async () => {
    const person = await excused(subject())
    const body = { usesAllowed: 1, expirationTime: 0, pass: await person.pass() }

    const { json } = await subject().call('PUT', `${person.memberPath}/bypasscodes`, { body })

    const codes = json.map((bypassCode: { code: string }) => bypassCode.code)
    expect(new Set(codes).size).toBe(5)
    expect(json[0]).toMatchObject({ usesAllowed: 1, dtExpiry: '9999-12-31T23:59:59+0000', user: person.id })
    expect((await person.show()).bypasscodes).toEqual(json.map((bypassCode: { id: string }) => bypassCode.id))
    const [old, first] = [{ bypasscode: person.code.code }, { bypasscode: codes[0] }]
    const states = [await person.signIn(old), await person.signIn(first), await person.signIn(first)]
    expect(states.map(({ state }) => state)).toEqual(['denied', 'approved', 'denied'])
  })
})
