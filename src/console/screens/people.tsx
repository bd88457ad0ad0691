import { useState } from 'preact/hooks'

import type { PeopleFilter, PeopleSort, PersonSummary } from '../../admin-contract/people.ts'
import { queryShapes } from '../../admin-contract/query-shapes.ts'
import { isolated, printable } from '../../ground/printable.ts'
import { people } from '../../ui/icons.ts'
import { type Column, DataList } from '../parts/data-list.tsx'
import { DomainChoice } from '../parts/domain-choice.tsx'
import { Exports } from '../parts/exports.tsx'
import { Page } from '../parts/page.tsx'
import { FilterChoice, ListBar } from '../parts/list-bar.tsx'
import { type ListPage, Pages, Range } from '../parts/pages.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, WhenLoaded } from '../parts/states.tsx'
import { jobsPlace, peoplePlace, personPlace, type PeopleQuery } from '../session/places.ts'
import { readValue } from '../session/read-value.ts'
import { Link, useRouter } from '../session/router.tsx'
import { useSignedIn } from '../session/session.tsx'
import { useLoad } from '../hooks/use-load.ts'
import { useWords } from '../words/speech.tsx'
import { SelectionBar } from './bulk/selection-bar.tsx'
import { useDomainNames } from '../parts/domain-names.ts'
import { LastSignIn, PersonBadges } from '../parts/person-badges.tsx'

/** Everyone whom the administrator can help. The address of the page contains the search. */
export function PeopleScreen() {
  const words = useWords()
  const { client } = useSignedIn()
  const { place, go } = useRouter()
  const filters = Object.keys(words.filters) as PeopleFilter[]
  const query = readQuery(place.query, filters)
  const { from: _from, sort: _sort, order: _order, ...searchQuery } = query
  const loaded = useLoad(peoplePlace(query), () => client.call('GET /admin/people', { query }), { keep: true })
  const { value, current } = loaded
  const change = (changes: Partial<PeopleQuery>) => peoplePlace({ ...query, from: undefined, ...changes })
  const [first, second] = value?.people ?? []
  const only = current && second === undefined ? first : undefined
  return (
    <Page
      title={words.people}
      actions={
        <Exports path="exports/people" query={searchQuery}>
          <Link to={jobsPlace} class="button outlined">
            {words.bulk.jobs}
          </Link>
        </Exports>
      }
    >
      <ListBar range={current && value ? <Range page={value} rows={value.people.length} /> : null}>
        <SearchField
          label={words.searchPeople}
          hint={words.searchHint}
          value={query.q ?? ''}
          found={current}
          onSearch={(q) => go(change({ q }), true)}
          onEnter={only && (() => go(personPlace(only.id)))}
        />
        <FilterChoice
          label={words.filter}
          all={words.everyone}
          filters={filters.map((filter) => [filter, words.filters[filter]])}
          filter={query.filter}
          onChoose={(filter) => go(change({ filter }))}
        />
        <DomainChoice domain={query.domain} onChoose={(domain) => go(change({ domain }))} />
      </ListBar>
      <WhenLoaded loaded={loaded}>
        {(page) => (
          <>
            <PeopleList key={peoplePlace(query)} page={page} query={query} search={searchQuery} />
            <Pages page={page} size={peoplePageSize} placeFrom={(from) => change({ from })} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

/** The service shows as many at once. */
const peoplePageSize = 50

function readQuery(parameters: URLSearchParams, filters: readonly PeopleFilter[]): PeopleQuery {
  const oneOf = <T extends string>(name: string, all: readonly T[]) => all.find((each) => each === parameters.get(name))
  return {
    q: readValue(parameters, 'q', queryShapes.q),
    filter: oneOf('filter', filters),
    domain: readValue(parameters, 'domain', queryShapes.id),
    sort: oneOf('sort', ['name', 'lastSignIn']),
    order: oneOf('order', ['asc', 'desc']),
    from: readValue(parameters, 'from', queryShapes.from),
  }
}

/** Names begin at A, and the last sign-in with the newest. Another press turns the list around. */
function sortOf(query: PeopleQuery, sort: PeopleSort) {
  const first = sort === 'name' ? 'asc' : 'desc'
  const order = query.order ?? first
  const isSorted = (query.sort ?? 'name') === sort
  const to = isSorted && order === first ? (first === 'asc' ? 'desc' : 'asc') : undefined
  return {
    now: isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined,
    to: peoplePlace({ ...query, sort: sort === 'name' ? undefined : sort, order: to, from: undefined }),
  } as const
}

interface PeopleListProps {
  readonly page: ListPage & { readonly people: readonly PersonSummary[] }
  readonly query: PeopleQuery
  readonly search: Pick<PeopleQuery, 'q' | 'filter' | 'domain'>
}

function PeopleList({ page: { people: rows, next }, query, search }: PeopleListProps) {
  const words = useWords()
  const namesOf = useDomainNames()
  const { domains, administrator } = useSignedIn().session
  const [selection, setChosen] = useState<ReadonlySet<string> | 'all'>(noSelection)
  if (rows.length === 0) {
    return (
      <Empty icon={people}>
        <p>{search.q || search.filter || search.domain || query.from ? words.noneFound : words.noPeople}</p>
      </Empty>
    )
  }
  function choose(persons: readonly PersonSummary[], isChosen: boolean) {
    const ids = persons.map(({ id }) => id)
    const before = selection === 'all' ? rows.map(({ id }) => id) : [...selection]
    setChosen(new Set(isChosen ? [...before, ...ids] : before.filter((id) => !ids.includes(id))))
  }
  const columns: readonly Column<PersonSummary>[] = [
    { title: words.name, sort: sortOf(query, 'name'), cell: (row) => <PersonCell person={row} /> },
    {
      title: words.methods,
      isLong: true,
      cell: ({ factors }) =>
        factors.length === 0 ? words.noMethods : factors.map((factor) => words.factors[factor]).join(words.comma),
    },
    ...(domains.length > 1
      ? [
          {
            title: words.domains,
            isLong: true,
            isSpare: true,
            cell: (row: PersonSummary) => <bdi>{namesOf(row.domains)}</bdi>,
          },
        ]
      : []),
    {
      title: words.bulk.lastSignIn,
      sort: sortOf(query, 'lastSignIn'),
      cell: (row) => <LastSignIn person={row} />,
    },
    { title: words.status, cell: (row) => <PersonBadges person={row} /> },
  ]
  const choice = {
    isChosen: ({ id }: PersonSummary) => selection === 'all' || selection.has(id),
    onChange: choose,
    labelOf: ({ name, username }: PersonSummary) => words.bulk.choose(isolated(name || username)),
    labelOfAll: words.bulk.choosePage,
  }
  const count = selection === 'all' ? undefined : selection.size
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
          selection={selection === 'all' ? { search } : { people: [...selection] }}
          chosenCount={count}
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
