import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { useEngine } from '../../../support/engines.ts'
import { calculatedCells, cellsOf } from '../../../support/spreadsheet.ts'
import { unique } from '../codes/code-holder.ts'
import { newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

describe('an export of people', () => {
  const newDatabase = useEngine('SQLite')
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const person = async (more: object, domain = running.domain.id) => {
    const { json } = await running.call('POST', '/users', { body: { ...newUser(unique()), ...more } })
    await running.call('PUT', `/domains/${domain}/users/${json.id}`)
    return json as { id: string; username: string }
  }
  const otherDomain = async () =>
    (await running.service.administration.createDomain(running.organization.id, { name: unique() })).id
  const recorded = async (actor: string) => {
    const rows = await running.ctx.store.db
      .selectFrom('audit')
      .select('facts')
      .where('event', '=', 'people.exported')
      .where('actorId', '=', actor)
      .execute()
    return rows.map(({ facts }) => JSON.parse(facts) as unknown)
  }

  inFullRun('a CSV export of people contains no cell that a spreadsheet calculates', async () => {
    const name = unique()
    const hostile = ['=1+41', 'Mallory;=1+41;x', 'Mallory|"＝1+41"', '| +1+41']
    for (const start of hostile) await person({ name: `${start} ${name}` })
    const { call } = await owner()

    const { text, headers } = await call('GET', `/exports/people.csv?q=${name}`)

    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="people-\d{4}-\d\d-\d\d\.csv"$/)
    expect(cellsOf(text, ',')).toHaveLength(1 + hostile.length)
    expect(calculatedCells(text)).toEqual([])
  })

  inFullRun('an export of people contains all pages of what a search and a filter find, and no one else', async () => {
    const name = unique()
    const domain = await otherDomain()
    const rows = Array.from({ length: 450 }, (_, index) => ({ ...newUser(`${name} ${index}`), name }))
    await running.call('PUT', `/domains/${domain}/users`, { body: rows })
    await person({ name: 'someone else' }, domain)
    const { call } = await owner()

    const { text } = await call('GET', `/exports/people.jsonl?${new URLSearchParams({ q: name, domain }).toString()}`)

    const people = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { username: string })
    expect(people.map(({ username }) => username).toSorted()).toEqual(rows.map(({ username }) => username).toSorted())
  })

  inFullRun('an export of people causes no warning from Node', async () => {
    await person({})
    const { call } = await owner()
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))

    await call('GET', '/exports/people.csv')

    expect(warnings).toEqual([])
  })

  it('an export of people contains only people and domains that the administrator can see', async () => {
    const foreign = await otherDomain()
    const [mine, theirs] = [await person({}), await person({}, foreign)]
    await running.call('PUT', `/domains/${foreign}/users/${mine.id}`)
    const { call } = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

    const { text } = await call('GET', '/exports/people.jsonl')

    expect([text.includes(mine.id), text.includes(theirs.id), text.includes(foreign)]).toEqual([true, false, false])
    expect((await call('GET', `/exports/people.csv?domain=${foreign}`)).code).toBe('api.error.notfound.domain')
  })

  it('an export of people is in the audit trail with its filter, without the name that was searched for', async () => {
    const { call, id } = await owner()

    await call('GET', '/exports/people.csv?q=alice&filter=locked')
    await call('GET', '/exports/people.jsonl')

    expect(await recorded(id)).toMatchObject([
      { format: 'csv', filter: 'q= filter=locked' },
      { format: 'jsonl', filter: '' },
    ])
  })
})
