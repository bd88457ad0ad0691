import { useSignedIn } from '../session/session.tsx'
import { useWords } from '../words/speech.tsx'

interface DomainChoiceProps {
  /** The id of a domain; undefined for all. */
  readonly domain: string | undefined
  readonly onChoose: (domain: string | undefined) => void
}

/** Which domain a screen is about. Nothing is shown to those who have only one. */
export function DomainChoice({ domain, onChoose }: DomainChoiceProps) {
  const words = useWords()
  const { domains } = useSignedIn().session
  if (domains.length < 2) return null
  return (
    <select
      aria-label={words.domain}
      value={domain ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}
    >
      <option value="">{words.allDomains}</option>
      {domains.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
