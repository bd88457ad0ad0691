import { printable } from '../../../ground/printable.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { Choice } from './choice.tsx'

interface ActorFilterProps {
  readonly actor: string | undefined
  readonly onChange: (actor: string | undefined) => void
}

/** Chooses an administrator, for those who see the list of them. Entries lead to other actors. */
export function ActorFilter(props: ActorFilterProps) {
  const { role } = useSignedIn().session.administrator
  return role === 'owner' || role === 'auditor' ? <Administrators {...props} /> : null
}

function Administrators({ actor, onChange }: ActorFilterProps) {
  const { audit } = useWords()
  const { client } = useSignedIn()
  const { value = [] } = useLoad('actors', () => client.call('GET /admin/administrators', {}))
  const options = value.map(({ id, name }) => [id, printable(name)] as const)
  return (
    <Choice
      label={audit.by}
      none={audit.any}
      options={options}
      value={options.some(([id]) => id === actor) ? actor : undefined}
      onChange={onChange}
    />
  )
}
