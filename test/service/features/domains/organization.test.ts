import { expect, it } from 'vitest'

import { operation } from '../../operation.ts'

operation('GET /organization', (subject) => {
  it('returns the organization of the key', async () => {
    const { text } = await subject().call13('GET', '/organization')

    expect(text).toBe(JSON.stringify({ name: subject().organization.name }))
  })
})

operation('GET /ping', (subject) => {
  it('answers callers with a key', async () => {
    const answer = await subject().call13('GET', '/ping')
    const stranger = await subject().call('GET', '/ping', { headers: { authorization: '' } })

    expect(answer.text).toBe('{"status":"OK"}')
    expect(stranger.status).toBe(401)
  })
})
