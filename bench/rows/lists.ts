import type { PeopleFilter } from '../../src/admin-contract/people.ts'
import { systemClock } from '../../src/ground/clock.ts'
import type { Store } from '../../src/service/engine/database/store.ts'
import type { Call } from '../../src/service/engine/http/route.ts'
import { readPeople } from '../../src/service/features/people/pages.ts'
import { listMembers } from '../../src/service/features/users/member-statements.ts'
import { createPeople, databases, domainId, enrollEveryone, organizationId } from '../measuring/many-people.ts'
import type { DatabaseName } from '../measuring/many-people.ts'
import type { Goal, Line, Row } from '../row.ts'
import { median } from '../spread.ts'

const pageSize = 100

/** What is asked, of whom: everyone before or after the setup of a factor. */
interface Question {
  readonly name: string
  readonly kind: 'page' | 'filter'
  readonly enrolled: boolean
  readonly ask: (store: Store) => Promise<unknown>
}

const page = (name: string, start: { after: number; offset: number }): Question => ({
  name,
  kind: 'page',
  enrolled: false,
  ask: ({ db }) => listMembers(db, domainId, start),
})

const filtered = (filter: PeopleFilter, name: string, enrolled: boolean): Question => ({
  name: `a filter that finds nobody: ${name}`,
  kind: 'filter',
  enrolled,
  ask: (store) => {
    const administrator = { organizationId, domainIds: null }
    const call = { store, clock: systemClock, console: { administrator } } as unknown as Call
    return readPeople(call, { filter }, { from: 1 })
  },
})

const questionsAbout = (people: number): readonly Question[] => [
  page('members, the first page', { after: 0, offset: 0 }),
  page('members, the last page by its number', { after: 0, offset: people - pageSize }),
  page('members, the last page by the member before it', { after: people - pageSize, offset: 0 }),
  filtered('enrolled', 'a factor', false),
  filtered('inactive', 'no sign-in for long', false),
  filtered('bypass_code', 'a recovery code', false),
  filtered('no_factor', 'no factor', true),
  filtered('only_email', 'e-mail alone', true),
]

const filterRest =
  'Each person is looked at once, in the order of the list: whether somebody has a factor depends on four tables and on the apps that an administrator sees, and no index says so. Done: one row of each ' +
  'table is asked for, because PostgreSQL read the factors of everyone for an EXISTS (3.4 to 3.9 s); a page that is not full says how many there are, so nobody looks a second time for the count (half of the time). Not done: ' +
  'facts about each person that triggers keep up to date, with which nobody is found within 1 ms. Each change of a factor would write two more rows, and the rule of what counts as a factor would stand a second time, in SQL.'

export const lists: Row = {
  name: 'lists',
  title: 'Lists with many people',
  work:
    'One domain with 100,000 members (1,000,000 with `--long`), in a SQLite file and in a PostgreSQL database that is vacuumed. Pages of 100 members as the REST interface lists them: by its number as in version 1.3, and by the member before it as ' +
    'in version 1.4. Then the list of people in the console, by name, with each filter, where it finds nobody: its page and its count. Milliseconds of the statements, one at a time, without HTTP. There is no peer.',
  columns: [{ key: 'time', title: 'ms', unit: 'ms' }],
  chart: 'time',
  lowerIsBetter: true,
  async measure({ rounds, long }) {
    const people = long ? 1_000_000 : 100_000
    const lines: Line[] = []
    const goals: Goal[] = []
    for (const database of databases) {
      const measured = await measureAt(database, people, rounds)
      lines.push(
        ...measured.map(({ name, times }) => ({ name: `${database}: ${name}`, ours: true, values: { time: times } })),
      )
      const slowest = (kind: Question['kind']) =>
        Math.max(...measured.filter((each) => each.kind === kind).map(({ times }) => median(times)))
      goals.push(
        {
          figure: `the slowest page of ${people.toLocaleString('en-US')} members on ${database}`,
          value: slowest('page'),
          reach: pageGoals[database],
          atMost: true,
          unit: 'ms',
        },
        {
          figure: `the slowest filter that finds nobody among ${people.toLocaleString('en-US')} on ${database}`,
          value: slowest('filter'),
          reach: 200,
          atMost: true,
          unit: 'ms',
          rest: filterRest,
        },
      )
    }
    return { lines, goals, findings: [] }
  },
}

const pageGoals: Readonly<Record<DatabaseName, number>> = { SQLite: 50, PostgreSQL: 100 }

async function measureAt(database: DatabaseName, people: number, rounds: number) {
  const { store, execute, stop } = await createPeople(database, people)
  const measured = []
  for (const enrolled of [false, true]) {
    if (enrolled) await execute(enrollEveryone)
    for (const question of questionsAbout(people).filter((each) => each.enrolled === enrolled)) {
      await question.ask(store) // What it reads is in memory then.
      const times: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const start = performance.now()
        await question.ask(store)
        times.push(performance.now() - start)
      }
      measured.push({ ...question, times })
    }
  }
  await stop()
  return measured
}
