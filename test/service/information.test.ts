import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startService, v14 } from './start-service.ts'
import type { Running } from './start-service.ts'

let running: Running
let count = 0

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const v13 = 'application/vnd.service.v1+json'

/** Sends a request to a user's device through a version of the interface. @returns what the device shows. */
async function arrange(accept: string) {
  // Moves past the time windows of earlier tests.
  await running.clock.advance(600)
  const person = await running.enroll(`informed ${(count += 1)}`)
  const body = { user: { id: person.user.id } }
  return async (more: object) => {
    const answer = await running.call('POST', person.sessions, { body: { ...body, ...more }, headers: { accept } })
    const [request] = await person.pending()
    return { status: answer.status, text: answer.text, request }
  }
}

describe.each([
  ['1.3', v13],
  ['1.4', v14],
])('a sign-in of version %s', (_version, accept) => {
  it.each([
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['fe80::7%eth0', 'fe80::7'],
    ['203.0.113.66, 192.0.2.7', '192.0.2.7'],
    ['unknown', undefined],
    ['192.0.2.7, unknown', undefined],
    ['somewhere', undefined],
  ])('a sign-in from %j shows %j on the device, and is sent', async (ipAddress, shownAddress) => {
    const ask = await arrange(accept)

    const { status, request } = await ask({ ipAddress })

    expect([status, request?.ipAddress]).toEqual([200, shownAddress])
  })

  it('a sign-in with too many or too long attributes is sent, and shows where something is missing', async () => {
    const ask = await arrange(accept)
    const attributes = Array.from({ length: 20 }, (_, i) => ({ key: 'k'.repeat(65), value: `${i}${'v'.repeat(256)}` }))

    const { status, request } = await ask({ attributes })

    expect(status).toBe(200)
    expect(request?.attributes).toHaveLength(16)
    expect(request?.attributes[0]).toEqual({ key: `${'k'.repeat(63)}…`, value: `0${'v'.repeat(254)}…` })
    expect(request?.attributes[15]).toEqual({ key: '…', value: '+5' })
  })
})

describe('the log', () => {
  it('the log reports once a minute that information was shortened or omitted, without its content', async () => {
    const ask = await arrange(v14)
    running.logged.length = 0

    await ask({ attributes: [{ key: 'Secret', value: 'marmalade'.repeat(100) }], ipAddress: 'marmalade' })
    await ask({ attributes: [{ key: 'Secret', value: 'marmalade'.repeat(100) }] })
    const first = [...running.logged]
    await running.clock.advance(60)
    await ask({ ipAddress: 'marmalade' })

    const message = 'session information was shortened or omitted'
    expect(first).toEqual([
      {
        message,
        details: {
          domain: running.domain.id,
          shortenedAttributes: 1,
          omittedAttributes: 0,
          noAddress: true,
          requestId: expect.any(String),
        },
      },
    ])
    expect(running.logged.slice(1)).toEqual([
      {
        message,
        details: {
          domain: running.domain.id,
          shortenedAttributes: 0,
          omittedAttributes: 0,
          noAddress: true,
          requestId: expect.any(String),
        },
      },
    ])
  })

  inFullRun('the log reports nothing when all session information fits', async () => {
    const ask = await arrange(v14)
    running.logged.length = 0

    await ask({ attributes: [{ key: 'k'.repeat(64), value: 'v'.repeat(256) }], ipAddress: '192.0.2.7' })

    expect(running.logged).toEqual([])
  })
})
