import { people } from '../../../ui/icons.ts'
import { Empty } from '../../parts/states.tsx'
import { Link } from '../../session/router.tsx'
import { sectionsFor } from '../../session/sections.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'

/** Says what comes next in a new service. */
export function Start() {
  const { overview: words } = useWords()
  const { role } = useSignedIn().session.administrator
  const apps = sectionsFor(role).find(({ path }) => path === 'apps')
  return (
    <Empty icon={people}>
      <h2>{words.noPeople}</h2>
      <p class="narrow-text">{words.next}</p>
      {apps ? (
        <Link to={apps.path} class="button filled">
          {words.connect}
        </Link>
      ) : null}
    </Empty>
  )
}
