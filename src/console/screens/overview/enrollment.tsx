import type { ComponentChildren } from 'preact'

import type { DomainEnrollment, Overview } from '../../../admin-contract/overview.ts'
import { printable } from '../../../ground/printable.ts'
import { BoundedList } from '../../parts/bounded-list.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { peoplePlace, placeBehind } from '../../session/places.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useSpeech } from '../../words/speech.tsx'
import { Figure } from './figure.tsx'
import { Swatch, type Texture, useTextures } from './texture.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** A domain, and its figures if it has been counted. */
interface Row {
  readonly id: string
  readonly name: string
  readonly enrollment?: DomainEnrollment | undefined
}

/** How old figures can be that were counted when they were read, seconds. */
const fresh = 60

/** How many domains are shown at first: the chart below stays on the first screens. */
const maxShown = 10

interface EnrollmentCardProps {
  readonly overview: Pick<Overview, 'domains' | 'uncounted'>
}

/** Who has a second factor, by domain: those with the most people left come first. */
export function EnrollmentCard({ overview: { domains, uncounted } }: EnrollmentCardProps) {
  const { words, locale } = useSpeech()
  const { session } = useSignedIn()
  const columns = useColumns()
  const nameOf = (id: string) => session.domains.find((domain) => domain.id === id)?.name ?? id
  const rows: readonly Row[] = [
    ...domains.map((enrollment) => ({ id: enrollment.domain, name: enrollment.name, enrollment })),
    ...uncounted.map((id) => ({ id, name: nameOf(id) })),
  ].sort((a, b) => leftIn(b) - leftIn(a) || a.name.localeCompare(b.name, locale))
  const isOld = domains.some(({ countedAt }) => countedAt < Date.now() / 1000 - fresh)
  return (
    <section class="enrollment">
      <h2>{words.overview.enrollment}</h2>
      <BoundedList rows={rows} limit={maxShown} label={words.allDomains}>
        {(shownRows) => (
          <DataList label={words.overview.enrollment} rows={shownRows} columns={columns} keyOf={({ id }) => id} />
        )}
      </BoundedList>
      {isOld || uncounted.length > 0 ? <p class="sentence">{words.overview.countedEvery}</p> : null}
    </section>
  )
}

const leftIn = ({ enrollment }: Row): number => (enrollment ? enrollment.members - enrollment.enrolled : 0)

function useColumns(): readonly Column<Row>[] {
  const { words } = useSpeech()
  const numbers = useNumbers()
  const figure = (texture: Texture, count: number, to: string) => (
    <Figure to={to} class="row-figure">
      <Swatch texture={texture} />
      {numbers.count(count)}
    </Figure>
  )
  const column = (title: string, cell: (enrollment: DomainEnrollment) => ComponentChildren): Column<Row> => ({
    title,
    cell: ({ enrollment }) => (enrollment ? cell(enrollment) : words.overview.uncounted),
  })
  return [
    { title: words.domain, cell: (row) => <DomainCell row={row} /> },
    column(words.overview.people, ({ domain, members }) => (
      <Figure to={peoplePlace({ domain })} class="row-figure">
        {numbers.count(members)}
      </Figure>
    )),
    column(words.filters.enrolled, ({ domain, enrolled }) =>
      figure('solid', enrolled, placeBehind('enrolled', { domain })),
    ),
    column(words.filters.only_email, ({ domain, onlyEmail }) =>
      figure('stripes', onlyEmail, placeBehind('onlyEmail', { domain })),
    ),
    column(words.filters.no_factor, ({ domain, members, enrolled, onlyEmail }) =>
      figure('hollow', members - enrolled - onlyEmail, placeBehind('noFactor', { domain })),
    ),
  ]
}

function DomainCell({ row: { name, enrollment } }: { readonly row: Row }) {
  const numbers = useNumbers()
  const hasShare = enrollment !== undefined && enrollment.members > 0
  return (
    <>
      <strong class="domain-share">
        <bdi>{printable(name)}</bdi>
        {hasShare ? <span>{numbers.share(enrollment.enrolled, enrollment.members)}</span> : null}
      </strong>
      {hasShare ? <ShareBar enrollment={enrollment} /> : null}
    </>
  )
}

/** The figures beside it say the same. */
function ShareBar({ enrollment: { members, enrolled, onlyEmail } }: { readonly enrollment: DomainEnrollment }) {
  const { fill, definitions } = useTextures()
  const total = Math.max(members, 1)
  const percent = (part: number) => `${((100 * part) / total).toFixed(2)}%`
  return (
    <svg class="share mirrored" width="100%" height="14" aria-hidden="true" focusable="false">
      {definitions}
      <rect class="shape hollow" x="0.5" y="0.5" width="100%" height="13" fill={fill('hollow')} />
      <rect class="shape stripes" y="0" width={percent(enrolled + onlyEmail)} height="14" fill={fill('stripes')} />
      <rect class="shape solid" y="0" width={percent(enrolled)} height="14" fill={fill('solid')} />
    </svg>
  )
}
