import { expect, it } from 'vitest'

import { operation } from '../../operation.ts'

operation('GET /organization', (subject) => {
  it('GET /organization returns the organization of the API key', async () => {
    const { text } = await subject().call13('GET', '/organization')

    expect(text).toBe(JSON.stringify({ name: subject().organization.name }))
  })
})

operation('GET /ping', (subject) => {
  it('GET /ping answers callers with an API key', async () => {
    const answer = await subject().call13('GET', '/ping')
    const stranger = await subject().call('GET', '/ping', { headers: { authorization: '' } })

    expect(answer.text).toBe('{"status":"OK"}')
    expect(stranger.status).toBe(401)
  })
})
