import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startTransports, transports } from '../../../support/transports.ts'
import { newUser, v14 } from '../../start-service.ts'

type Running = Awaited<ReturnType<typeof startTransports>>

let running: Running
afterEach(() => running.close())

describe.each(transports)('a request %s', (transport) => {
  beforeEach(async () => {
    running = await startTransports({ heldReadsPerKey: 1, streamsPerKey: 1 })
  })
  const over = (key?: string) => running.over(transport, key)

  /** Starts a read, and resolves when the service holds it. */
  async function hold(path: string, signal?: AbortSignal) {
    const begun = running.clock.timerSet(90)
    const answer = over().call('GET', path, { headers: { prefer: 'wait=25' }, ...(signal && { signal }) })
    answer.catch(() => {})
    await begun
    return { answer }
  }

  const openStream = (signal?: AbortSignal) => {
    const { send, origin, apiKey } = over()
    return send(`${origin}/api/domains/${running.domain.id}/sessions/events`, {
      headers: { accept: v14, authorization: `Service key="${apiKey}"` },
      ...(signal && { signal }),
    })
  }

  it('a request has the rights of its API key', async () => {
    const id = running.organization.id
    const { domain, administration } = running
    const key = await administration.createApiKey(id, { role: 'auth', domainId: domain.id })
    const other = await administration.createDomain(id, { name: 'Other' })
    const { call } = over(key)

    const statuses = [
      (await call('GET', `/domains/${domain.id}`)).status,
      (await call('GET', `/domains/${other.id}`)).status,
      (await call('POST', '/users', { body: newUser('created') })).status,
    ]

    expect(statuses).toEqual([200, 404, 403])
  })

  it('a response carries the id of its request, or a new one', async () => {
    const { call } = over()

    const named = await call('GET', '/ping', { headers: { 'x-request-id': 'f00' } })
    const unnamed = await call('GET', '/ping', { headers: { 'x-request-id': 'two words' } })

    expect(named.headers.get('x-request-id')).toBe('f00')
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  inFullRun('a request is reported to metrics with its operation and status', async () => {
    const { call } = over()

    await call('GET', '/ping', { headers: { 'x-request-id': 'seen' } })
    await call('GET', '/users/1', { headers: { 'x-request-id': 'missed' } })

    await expect
      .poll(() => running.observed)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ requestId: 'seen', operation: 'ping', status: 200 }),
          expect.objectContaining({ requestId: 'missed', operation: 'getUser', status: 404 }),
        ]),
      )
  })

  it('a request for a page gets links to the neighboring pages', async () => {
    const answer = await over().call('GET', '/users?page=2')

    expect(answer.headers.get('link')).toBe('</api/users?page=1>; rel="first", </api/users?page=1>; rel="prev"')
  })

  inFullRun('a request may have a body of bytes, which 1.3 reads as ISO-8859-1 where it is not UTF-8', async () => {
    const raw = Uint8Array.from(Buffer.from(JSON.stringify({ ...newUser('latin'), name: 'Jos\xe9' }), 'latin1'))
    const { call } = over()

    const old = await call('POST', '/users', { raw, headers: { accept: 'application/vnd.service.v1+json' } })
    const current = await call('POST', '/users', { raw })

    expect([old.json.name, current.code]).toEqual(['Jos\xe9', 'api.error.malformed'])
  })

  inFullRun('a request gets an image, and 304 if it has the same one', async () => {
    const path = `/domains/${running.domain.id}/image`
    const { send, origin, apiKey } = over()
    const get = (headers: Record<string, string> = {}) =>
      send(`${origin}/api${path}`, { headers: { accept: v14, authorization: `Service key="${apiKey}"`, ...headers } })

    const image = await get()
    const bytes = new Uint8Array(await image.arrayBuffer())
    const notModified = await get({ 'if-none-match': image.headers.get('etag') ?? '' })

    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(bytes.subarray(1, 4)).toEqual(new TextEncoder().encode('PNG'))
    expect(bytes.length).toBe(Number(image.headers.get('content-length')))
    expect([notModified.status, await notModified.text()]).toEqual([304, ''])
  })

  inFullRun('a request is held until its session settles', async () => {
    const path = await running.ask('held')
    const { answer } = await hold(path)

    await running.call('DELETE', path)

    expect([(await answer).json.state, (await answer).headers.get('preference-applied')]).toEqual([
      'cancelled',
      'wait=25',
    ])
  })

  inFullRun('a held request frees its place when its caller gives up, who learns of it at once', async () => {
    const path = await running.ask('given-up')
    const abort = new AbortController()
    const { answer } = await hold(path, abort.signal)

    abort.abort(new Error('given up'))

    await expect(answer).rejects.toThrow('given up')
    await expect.poll(() => running.observed).toContainEqual(expect.objectContaining({ status: 'aborted' }))
    const next = await hold(path)
    await running.call('DELETE', path)
    expect((await next.answer).headers.get('preference-applied')).toBe('wait=25')
  })

  inFullRun('a request that is given up before it is sent is not sent', async () => {
    const { call } = over()

    const answer = call('GET', '/ping', { signal: AbortSignal.abort(new Error('given up')) })

    await expect(answer).rejects.toThrow('given up')
    await call('GET', '/organization')
    expect(running.observed.map(({ operation }) => operation)).not.toContain('ping')
  })

  inFullRun('a request for events gets a stream of settled sessions', async () => {
    const path = await running.ask('streamed')
    const stream = await openStream()
    const events = readEvents(stream.body!)
    await events.next()

    await running.call('DELETE', path)

    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect((await events.next()).value).toEqual([expect.stringContaining(path.split('/').at(-1)!)])
    await events.return(undefined)
  })

  inFullRun.each([
    ['its reader gives up', (abort: AbortController) => abort.abort()],
    ['its reader stops reading', (_: AbortController, stream: Response) => stream.body!.cancel()],
  ])('a request for a stream frees its place when %s', async (_why, end) => {
    const abort = new AbortController()
    const first = await openStream(abort.signal)
    const second = await openStream()

    await end(abort, first)

    expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '30'])
    await expect.poll(async () => (await openStream()).status).toBe(200)
  })

  inFullRun('a request is answered before the service closes, whatever it waits for', async () => {
    const path = await running.ask('closing')
    const { answer } = await hold(path)
    const stream = await openStream()

    await running.closeService()

    expect((await answer).json.state).toBe('pending')
    expect(await stream.text()).toContain('retry:')
  })

  inFullRun('a request is counted against the rate of its key, or of its address', async () => {
    await running.close()
    running = await startTransports({ requestsPerSecond: 2 })
    await running.clock.advance(1)
    const [known, unknown] = [over(), over('a'.repeat(64))]
    const ping = async ({ call }: typeof known) => (await call('GET', '/ping')).headers.get('ratelimit')

    const rateLimits = [await ping(known), await ping(known), await ping(known), await ping(unknown)]

    expect(rateLimits).toEqual(['"key";r=1;t=1', '"key";r=0;t=1', '"key";r=0;t=1', '"address";r=1;t=1'])
  })
})

describe('a request in the same process', () => {
  beforeEach(async () => {
    running = await startTransports()
  })

  it('a request in the same process is not answered in the same event loop turn, so that others get theirs', async () => {
    const { call } = running.over('in the same process')
    const timer = { elapsed: false }
    setTimeout(() => (timer.elapsed = true), 1)

    for (let calls = 0; calls < 1_000 && !timer.elapsed; calls += 1) await call('GET', '/ping')

    expect(timer.elapsed).toBe(true)
  })

  it.each(['a string', 'a Request'])('a request in the same process can be given as %s', async (kind) => {
    const { send, origin, apiKey } = running.over('in the same process')
    const init = {
      method: 'post',
      headers: { authorization: `Service key="${apiKey}"` },
      body: JSON.stringify(newUser('given')),
    }
    const url = `${origin}/api/users`

    const answer = await (kind === 'a string' ? send(url, init) : send(new Request(url, init)))

    expect([answer.status, (await answer.json()).username]).toEqual([200, 'given'])
  })

  it('a request in the same process has no effect if it is given up in the same turn', async () => {
    const { call } = running.over('in the same process')
    const abort = new AbortController()

    const answer = call('POST', '/users', { body: newUser('given up'), signal: abort.signal })
    abort.abort(new Error('given up'))

    await expect(answer).rejects.toThrow('given up')
    expect((await call('GET', '/users?username=given%20up')).status).toBe(404)
  })

  it('a request in the same process is rejected once the service closes', async () => {
    const { call } = running.over('in the same process')

    await running.closeService()

    await expect(call('GET', '/ping')).rejects.toThrow('The service is closing.')
  })
})
