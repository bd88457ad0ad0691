import { useState } from 'preact/hooks'

import type { PeopleFilter, PersonSummary } from '../../contract/admin/people.ts'
import { isolated, printable } from '../../printable.ts'
import { people } from '../../ui/icons.ts'
import { type Column, DataList } from '../parts/data-list.tsx'
import { DomainChoice } from '../parts/domain-choice.tsx'
import { Exports } from '../parts/exports.tsx'
import { Page } from '../parts/page.tsx'
import { Pages } from '../parts/pages.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, WhenLoaded } from '../parts/states.tsx'
import { jobsPlace, peoplePlace, personPlace, type PeopleQuery } from '../places.ts'
import { Link, useRouter } from '../router.tsx'
import { useSignedIn } from '../session.tsx'
import { useLoad } from '../use-load.ts'
import { useWords } from '../words/speech.tsx'
import { SelectionBar } from './bulk/selection-bar.tsx'
import { useDomainNames } from './domain-names.ts'
import { LastSignIn, PersonBadges } from './person-badges.tsx'

const filters: readonly PeopleFilter[] = ['enrolled', 'no_factor', 'only_email', 'locked', 'bypass_code', 'inactive']

/** Everyone whom the administrator can help. The address of the page contains the search. */
export function PeopleScreen() {
  const words = useWords()
  const { client } = useSignedIn()
  const { place, go } = useRouter()
  const query = readQuery(place.query)
  const { after: _after, ...searched } = query
  const loaded = useLoad(peoplePlace(query), () => client.call('GET /admin/people', { query }), { keep: true })
  return (
    <Page
      title={words.people}
      actions={
        <Exports path="exports/people" query={searched}>
          <Link to={jobsPlace} class="button outlined">
            {words.bulk.jobs}
          </Link>
        </Exports>
      }
    >
      <SearchField
        label={words.searchPeople}
        hint={words.searchHint}
        value={query.q ?? ''}
        found={loaded.current}
        onSearch={(q) => go(peoplePlace({ ...query, q, after: undefined }), true)}
      />
      <Filters query={query} />
      {/* For screen readers, which do not see the list change. */}
      <p class="unseen" role="status">
        {loaded.current && loaded.value ? words.onThisPage(loaded.value.people.length) : null}
      </p>
      <WhenLoaded of={loaded}>
        {(page) => (
          <>
            <PeopleList key={peoplePlace(query)} page={page} search={searched} />
            <Pages
              first={query.after === undefined ? undefined : peoplePlace({ ...query, after: undefined })}
              next={page.next === undefined ? undefined : peoplePlace({ ...query, after: page.next })}
            />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

function readQuery(given: URLSearchParams): PeopleQuery {
  const filter = filters.find((each) => each === given.get('filter'))
  return {
    q: given.get('q') ?? undefined,
    filter,
    domain: given.get('domain') ?? undefined,
    after: given.get('after') ?? undefined,
  }
}

interface QueryProps {
  readonly query: PeopleQuery
}

function Filters({ query }: QueryProps) {
  const words = useWords()
  const { go } = useRouter()
  return (
    <div class="filters">
      <nav aria-label={words.filter}>
        <ul class="list">
          {[undefined, ...filters].map((filter) => (
            <li key={filter ?? 'all'}>
              <Link
                to={peoplePlace({ ...query, filter, after: undefined })}
                class="chip"
                aria-current={query.filter === filter ? 'true' : undefined}
              >
                {filter === undefined ? words.everyone : words.filters[filter]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <DomainChoice
        chosen={query.domain}
        onChoose={(domain) => go(peoplePlace({ ...query, domain, after: undefined }))}
      />
    </div>
  )
}

interface PeopleListProps {
  readonly page: { readonly people: readonly PersonSummary[]; readonly next?: string | undefined }
  readonly search: Omit<PeopleQuery, 'after'>
}

function PeopleList({ page: { people: rows, next }, search }: PeopleListProps) {
  const words = useWords()
  const namesOf = useDomainNames()
  const { domains, administrator } = useSignedIn().session
  const [chosen, setChosen] = useState<ReadonlySet<string> | 'all'>(noSelection)
  if (rows.length === 0) {
    return (
      <Empty icon={people}>
        <p>{search.q || search.filter || search.domain ? words.noneFound : words.noPeople}</p>
      </Empty>
    )
  }
  function choose(some: readonly PersonSummary[], isChosen: boolean) {
    const ids = some.map(({ id }) => id)
    const before = chosen === 'all' ? rows.map(({ id }) => id) : [...chosen]
    setChosen(new Set(isChosen ? [...before, ...ids] : before.filter((id) => !ids.includes(id))))
  }
  const columns: readonly Column<PersonSummary>[] = [
    { title: words.name, cell: (row) => <PersonCell person={row} /> },
    {
      title: words.methods,
      cell: ({ factors }) =>
        factors.length === 0 ? words.noMethods : factors.map((factor) => words.factors[factor]).join(words.comma),
    },
    ...(domains.length > 1
      ? [{ title: words.domains, cell: (row: PersonSummary) => <bdi>{namesOf(row.domains)}</bdi> }]
      : []),
    { title: words.bulk.lastSignIn, cell: (row) => <LastSignIn person={row} /> },
    { title: words.status, cell: (row) => <PersonBadges person={row} /> },
  ]
  const choice = {
    isChosen: ({ id }: PersonSummary) => chosen === 'all' || chosen.has(id),
    onChange: choose,
    labelOf: ({ name, username }: PersonSummary) => words.bulk.choose(isolated(name || username)),
    labelOfAll: words.bulk.choosePage,
  }
  const count = chosen === 'all' ? undefined : chosen.size
  return (
    <>
      <DataList
        label={words.people}
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => personPlace(id)}
        choice={administrator.role === 'auditor' ? undefined : choice}
      />
      {count === 0 ? null : (
        <SelectionBar
          selection={chosen === 'all' ? { search } : { people: [...chosen] }}
          chosen={count}
          more={next !== undefined || rows.length !== count}
          onAll={() => setChosen('all')}
          onNone={() => setChosen(noSelection)}
        />
      )}
    </>
  )
}

const noSelection: ReadonlySet<string> = new Set()

function PersonCell({ person: { name, username, email } }: { readonly person: PersonSummary }) {
  return (
    <>
      <strong>
        <bdi>{printable(name)}</bdi>
      </strong>
      <small>
        <bdi>{printable(username)}</bdi>
        {email === '' ? null : (
          <>
            {' · '}
            <bdi>{printable(email)}</bdi>
          </>
        )}
      </small>
    </>
  )
}
