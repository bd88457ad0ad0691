import type { SignInCount } from '../../../admin-contract/overview.ts'
import { type OverviewQuery, overviewPlace, placeBehind } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useWords } from '../../words/speech.tsx'
import { Chart } from './chart.tsx'
import { Figure } from './figure.tsx'
import { type Day, daysOf, factors, firstDay, type Kind, outcomes, sum } from './series.ts'
import { Swatch, textures } from './texture.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

interface SignInsCardProps {
  readonly counts: readonly SignInCount[]
  readonly query: OverviewQuery
}

/** A part of the sign-ins, its name, and the list behind it. */
interface Part extends Kind {
  readonly title: string
  readonly to: string
}

/** The sign-ins of the last days: a chart, its legend with the sums, and a table. */
export function SignInsCard({ counts, query }: SignInsCardProps) {
  const { overview: words } = useWords()
  const parts = useParts(query)
  const days = daysOf(counts, parts, Date.now() / 1000)
  return (
    <section class="card">
      <div class="card-head">
        <h2>{words.signIns}</h2>
        <Division query={query} />
      </div>
      {counts.length === 0 ? (
        <p class="muted">{words.noSignIns}</p>
      ) : (
        <>
          <Chart days={days} names={parts.map(({ title }) => title)} />
          <Legend counts={counts} parts={parts} />
          <DayTable days={days} parts={parts} />
        </>
      )}
    </section>
  )
}

function useParts({ domain, by }: OverviewQuery): Part[] {
  const words = useWords()
  const since = firstDay(Math.floor(Date.now() / 1000))
  if (by === 'factor') {
    return factors.map((kind) => ({
      ...kind,
      title: words.factors[kind.name],
      to: placeBehind('approved', { domain, factor: kind.name, since }),
    }))
  }
  return outcomes.map((kind) => ({
    ...kind,
    title: words.overview.outcomes[kind.name],
    to: placeBehind(kind.name, { domain, since }),
  }))
}

/** The series that the bars are divided into. */
function Division({ query }: Pick<SignInsCardProps, 'query'>) {
  const { overview: words } = useWords()
  return (
    <ul class="list division">
      {([undefined, 'factor'] as const).map((by) => (
        <li key={by ?? 'outcome'}>
          <Link to={overviewPlace({ ...query, by })} class="chip" aria-current={query.by === by ? 'true' : undefined}>
            {by === 'factor' ? words.byFactor : words.byOutcome}
          </Link>
        </li>
      ))}
    </ul>
  )
}

interface PartsProps {
  readonly parts: readonly Part[]
}

function Legend({ counts, parts }: PartsProps & Pick<SignInsCardProps, 'counts'>) {
  const numbers = useNumbers()
  return (
    <ul class="list legend">
      {parts.map(({ name, title, to, includes }, index) => (
        <li key={name}>
          <Figure to={to} class="legend-figure">
            <Swatch texture={textures[index] ?? 'solid'} />
            <span>{title}</span>
            <strong>{numbers.count(sum(counts.filter(includes)))}</strong>
          </Figure>
        </li>
      ))}
    </ul>
  )
}

/** The numbers of the chart, newest first. */
function DayTable({ days, parts }: PartsProps & { readonly days: readonly Day[] }) {
  const { overview: words } = useWords()
  const numbers = useNumbers()
  return (
    <details class="more">
      <summary>{words.asTable}</summary>
      {/* It can be scrolled with the keyboard. */}
      <div class="wide-table" role="region" aria-label={words.signIns} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.day}</th>
              {parts.map(({ name, title }) => (
                <th key={name} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ at, counts }) => (
              <tr key={at}>
                <th scope="row">{numbers.day(at)}</th>
                {counts.map((count, index) => (
                  <td key={parts[index]?.name}>{numbers.count(count)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
