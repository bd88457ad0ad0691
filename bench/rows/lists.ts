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

const pageRest =
  'A page by its number passes over all members before it, in an index that has all that is asked: about 0.15 µs for each on SQLite and 0.25 µs on PostgreSQL when the machine is busy. Two thirds to four fifths of that is the step ' +
  'to the next entry of the index, the rest the question whether a synchronization has yet to add or remove the member. Tried, with gain: memberships that have the order of their users, with which nothing is sorted (5.2 s before, at 492,000 members). Without much gain: the ' +
  'same statement without synchronizations (a fifth to a third less); the same with NULL asked for alone (no less than with synchronizations). Not used: numbers of members for each block of a domain, because everybody who is added would wait for the same row. ' +
  'Version 1.4 lists by the member before the page, which is as fast at its end as at its beginning.'

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
          rest: pageRest,
        },
        {
          figure: `the slowest filter that finds nobody among ${people.toLocaleString('en-US')} on ${database}`,
          value: slowest('filter'),
          reach: 200,
          atMost: true,
          unit: 'ms',
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
