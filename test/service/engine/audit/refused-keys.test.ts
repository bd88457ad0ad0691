import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import type { OpenedService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { waitTimeout } from '../../../support/wait-timeout.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { entriesOf, openDatabase } from './recorded.ts'
import { inFullRun } from '../../../support/full-run.ts'

const wrongKey = 'Zq9'.repeat(21) + 'x'

describe.each(mainEngines)('requests without a valid API key, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService
  let known: number
  let refused = 0

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database, trustProxy: 1 })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(() => Promise.all([running.close(), node.close()]))
  beforeEach(async () => {
    await running.clock.advance(61)
    // The last entry of a minute is written in the background: the one of the previous test is stored once the sum is right.
    await vi.waitUntil(async () => counted(await entriesOf(node.ctx.store.db)) === refused, { timeout: waitTimeout })
    known = (await entriesOf(node.ctx.store.db)).length
    running.logged.length = 0
  })

  const ask = (from: string, headers: Record<string, string> = {}) => {
    refused += 1
    return fetch(`${running.origin}/api/organization`, { headers: { 'x-forwarded-for': from, ...headers } })
  }
  /** The number of refused requests that the entries cover. */
  const counted = (all: Awaited<ReturnType<typeof entriesOf>>) =>
    all.reduce((sum, { event, facts }) => sum + (event === 'api_key.refused' ? Number(facts.count) : 0), 0)
  const entries = async () => {
    const all = await entriesOf(node.ctx.store.db)
    return all.slice(known).filter(({ event }) => event === 'api_key.refused')
  }
  /** The test clock does not wait for the entry written at the end of a minute. */
  const entriesOnce = async (count: number) => {
    await expect.poll(async () => (await entries()).length).toBe(count)
  }

  it('requests without a valid API key leave one entry and line per address and minute, then a count of the rest', async () => {
    for (let round = 0; round < 5; round += 1) await ask('192.0.2.7', { authorization: `Service key="${wrongKey}"` })
    await ask('192.0.2.8')
    const lines = [...running.logged]
    await running.clock.advance(60)
    await entriesOnce(3)

    expect((await entries()).map(({ address, facts }) => [address, facts])).toEqual([
      ['192.0.2.7', { reason: 'unknown_key', count: 1 }],
      ['192.0.2.8', { reason: 'no_key', count: 1 }],
      [null, { reason: null, count: 4 }],
    ])
    expect(lines.map(({ message }) => message)).toEqual(['no valid API key', 'no valid API key'])
    expect(running.logged.slice(2)).toEqual([
      { details: { count: 4 }, message: 'more requests without a valid API key' },
    ])
  })

  it('requests without a valid API key leave entries again in the next minute', async () => {
    await ask('192.0.2.7')
    await running.clock.advance(60)
    await ask('192.0.2.7')

    expect(await entries()).toHaveLength(2)
  })

  inFullRun('requests without a valid API key count as one address within an IPv6 network', async () => {
    for (let i = 1; i < 5; i += 1) await ask(`2001:db8::${i}`)

    expect(await entries()).toHaveLength(1)
  })

  it('requests without a valid API key leave at most 60 entries and lines a minute, from any number of addresses', async () => {
    await Promise.all(Array.from({ length: 80 }, (_, i) => ask(`192.0.2.${i + 1}`)))
    const [first, lines] = [await entries(), running.logged.length]
    await running.clock.advance(60)
    await entriesOnce(61)

    expect([first.length, lines]).toEqual([60, 60])
    expect((await entries()).at(-1)?.facts).toEqual({ reason: null, count: 20 })
  })
})

describe('the line in the log about a request without a valid API key', () => {
  let running: Running

  beforeAll(async () => void (running = await startService({ vendor: { scheme: 'Acme', mediaType: 'acme' } })))
  afterAll(() => running.close())
  beforeEach(async () => {
    await running.clock.advance(61)
    running.logged.length = 0
  })

  const lineOf = async (headers: Record<string, string>) => {
    await fetch(`${running.origin}/api/organization`, { headers })
    return running.logged.find(({ message }) => message === 'no valid API key')?.details
  }

  it('the log line of an invalid API key names the scheme and media type sent and expected, and the address', async () => {
    const headers = { authorization: `Service key="${wrongKey}"`, accept: 'application/vnd.service.v1+json' }

    expect(await lineOf(headers)).toEqual({
      address: '127.0.0.1',
      reason: 'other_scheme',
      scheme: 'Service',
      accept: 'application/vnd.service.v1+json',
      contentType: undefined,
      wanted: { scheme: 'Acme', mediaType: 'application/vnd.acme.v1+json' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it.each([
    [{ authorization: `acme key="${wrongKey}"` }, 'unknown_key', 'Acme'],
    [{ authorization: `Acme ${wrongKey}` }, 'malformed_key', 'Acme'],
    [{ authorization: `Contoso key="${wrongKey}"` }, 'other_scheme', 'Contoso'],
    [{ authorization: `Bearer ${wrongKey}` }, 'other_scheme', 'Bearer'],
    [{ authorization: wrongKey }, 'other_scheme', 'other'],
    [{ authorization: `${wrongKey} key="${wrongKey}"` }, 'other_scheme', 'other'],
    [{ authorization: `key="${wrongKey}"` }, 'other_scheme', 'other'],
    [{ authorization: `Acmekey="${wrongKey}"` }, 'other_scheme', 'other'],
    [{ authorization: `${wrongKey.slice(0, 20)} ${wrongKey.slice(20)}` }, 'other_scheme', 'other'],
    [{ authorization: `Acme key="${wrongKey}"`, accept: wrongKey }, 'unknown_key', 'Acme'],
    [{ authorization: `Acme key="${wrongKey}"`, accept: `text/${wrongKey}` }, 'unknown_key', 'Acme'],
    [{ authorization: `Acme key="${wrongKey}"`, 'content-type': `a/b; x=${wrongKey}` }, 'unknown_key', 'Acme'],
  ])('the log line of an invalid API key never contains part of the key: %j', async (headers, reason, scheme) => {
    const line = await lineOf(headers)

    expect(line).toMatchObject({ reason, scheme })
    for (let start = 0; start + 8 <= wrongKey.length; start += 1) {
      expect(JSON.stringify(line)).not.toContain(wrongKey.slice(start, start + 8))
    }
  })

  it('the log line of an invalid API key contains only plain words, whatever the request says', async () => {
    const strange = '"}\t{"level":30,"msg":"admin signed in"}\u00ff\u0085'

    const line = await lineOf({ authorization: `${strange} key="x"`, accept: strange, 'content-type': `a/${strange}` })

    expect(line).toMatchObject({ scheme: 'other', accept: 'unreadable', contentType: 'unreadable' })
    expect(JSON.stringify(line)).not.toMatch(/admin|[^\x20-\x7e]/)
  })
})
