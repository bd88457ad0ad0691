import type { Overview } from '../../../admin-contract/overview.ts'
import { queryShapes } from '../../../admin-contract/query-shapes.ts'
import { DomainChoice } from '../../parts/domain-choice.tsx'
import { Page } from '../../parts/page.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { type OverviewQuery, overviewPlace } from '../../session/places.ts'
import { readValue } from '../../session/read-value.ts'
import { useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useRepeated } from '../../hooks/use-repeated.ts'
import { useWords } from '../../words/speech.tsx'
import { EnrollmentCard } from './enrollment.tsx'
import { HealthCard } from './health.tsx'
import { PresentFigures } from './present-figures.tsx'
import { SignInsCard } from './sign-ins.tsx'
import { Start } from './start.tsx'

/** How often the figures are read again, milliseconds. */
const interval = 60_000

/** The figures of the service; each leads to the list behind it. */
export function OverviewScreen() {
  const words = useWords()
  const { client } = useSignedIn()
  const { place, go } = useRouter()
  const query = readQuery(place.query)
  const { domain } = query
  const loaded = useLoad(
    domain ?? '',
    (unattended) => client.call('GET /admin/overview', { query: { domain } }, { unattended }),
    { keep: true },
  )
  useRepeated(true, interval, () => loaded.reload(true))
  return (
    <Page
      title={words.overview.title}
      actions={
        <DomainChoice
          domain={domain}
          onChoose={(chosenDomain) => go(overviewPlace({ ...query, domain: chosenDomain }))}
        />
      }
    >
      <WhenLoaded loaded={loaded}>{(overview) => <Figures overview={overview} query={query} />}</WhenLoaded>
    </Page>
  )
}

function readQuery(parameters: URLSearchParams): OverviewQuery {
  return {
    domain: readValue(parameters, 'domain', queryShapes.id),
    by: parameters.get('by') === 'factor' ? 'factor' : undefined,
  }
}

interface FiguresProps {
  readonly overview: Overview
  readonly query: OverviewQuery
}

function Figures({ overview, query }: FiguresProps) {
  const isNew = overview.uncounted.length === 0 && overview.domains.every(({ members }) => members === 0)
  return (
    <>
      {isNew ? (
        <Start />
      ) : (
        <>
          <PresentFigures overview={overview} domain={query.domain} />
          <EnrollmentCard overview={overview} />
          <SignInsCard counts={overview.signIns} query={query} />
        </>
      )}
      {overview.health ? <HealthCard health={overview.health} /> : null}
    </>
  )
}
