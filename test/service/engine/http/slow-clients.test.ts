import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { vendorLabel } from '../../../../src/service/engine/http/answer.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { openRaw } from '../../../support/raw-http.ts'
import type { RawAnswer } from '../../../support/raw-http.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** The same service behind listeners with short timeouts, in milliseconds: for a whole request, or for its head alone. */
const timeouts = { headers: 200, request: 400, keepAlive: 150 }
const headTimeouts = { ...timeouts, request: 600_000 }

let running: Running
let door: Listening
let headDoor: Listening

beforeAll(async () => {
  running = await startService()
  const label = vendorLabel({ scheme: 'Service', mediaType: 'service' }, '1.3')
  const at = { host: '127.0.0.1', port: 0, label }
  door = await listen(running.service.listener, { ...at, timeouts })
  headDoor = await listen(running.service.listener, { ...at, timeouts: headTimeouts })
})
afterAll(async () => {
  await Promise.all([door.close(), headDoor.close()])
  await running.close()
})

function expectTimeout(answer: RawAnswer): void {
  expect(answer.status).toBe(408)
  expect(JSON.parse(answer.body).errors[0].code).toBe('api.error.timeout')
  expect(answer.headers.get('content-type')).toBe('application/vnd.service.v1+json')
  expect(answer.headers.get('connection')).toBe('close')
}

const head = () => `POST /api/users HTTP/1.1\r\nHost: x\r\nAuthorization: Service key="${running.apiKey}"\r\n`

describe('a slow client', () => {
  inFullRun('a client is disconnected when the head of its request does not end', async () => {
    const connection = await openRaw(headDoor.port)

    connection.send('GET /api/ping HTTP/1.1\r\nHost: x\r\nX-')
    const answer = await connection.answer()
    await connection.closed

    expectTimeout(answer)
  })

  inFullRun('a client is disconnected when it sends nothing at all', async () => {
    const connection = await openRaw(headDoor.port)

    const answer = await connection.answer()
    await connection.closed

    expectTimeout(answer)
  })

  inFullRun('a client that has sent no request does not delay closing', async () => {
    const patient = await listen(running.service.listener, {
      host: '127.0.0.1',
      port: 0,
      timeouts: { headers: 600_000, request: 600_000, keepAlive: 600_000 },
    })
    const connection = await openRaw(patient.port)

    await patient.close()

    await expect(connection.closed).resolves.toBeUndefined()
  })

  it('a client is disconnected when its body does not end, however steadily it drips', async () => {
    const connection = await openRaw(door.port)

    connection.send(`${head()}Content-Length: 100000\r\n\r\n{`)
    const drip = setInterval(() => connection.send(' '), 20)
    const answer = await connection.answer()
    await connection.closed
    clearInterval(drip)

    expectTimeout(answer)
  })

  inFullRun('a client is not disconnected while it waits for a held response', async () => {
    const { ask, sessions } = await running.enroll('patient')
    const { id } = await ask()
    const connection = await openRaw(door.port)

    const timer = running.clock.timerSet(60)
    connection.send(
      `GET /api${sessions}/${id} HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\n${head().split('\r\n')[2]}\r\n\r\n`,
    )
    await timer
    // Longer than every timeout of the listener: another slow client has been disconnected meanwhile.
    const other = await openRaw(door.port)
    await other.closed
    await running.call('DELETE', `${sessions}/${id}`)
    const answer = await connection.answer()
    connection.end()

    expect(answer.status).toBe(200)
    expect(answer.body).toBe(`{"id":"${id}","state":"denied"}`)
  })
})

describeInFullRun('a connection', () => {
  it('a connection serves one request after another, announces how long it stays open, and then closes', async () => {
    const connection = await openRaw(door.port)
    const ping = `GET /api/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Service key="${running.apiKey}"\r\n\r\n`

    connection.send(ping)
    const first = await connection.answer()
    connection.send(ping + ping)
    const laterAnswers = [await connection.answer(), await connection.answer()]
    await connection.closed

    expect([first, ...laterAnswers].map(({ status }) => status)).toEqual([200, 200, 200])
    expect(first.headers.get('keep-alive')).toMatch(/^timeout=\d+$/)
  })
})
