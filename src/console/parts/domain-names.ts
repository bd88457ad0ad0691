import { isolated } from '../../ground/printable.ts'
import { useSignedIn } from '../session/session.tsx'
import { useSpeech } from '../words/speech.tsx'

/** Names the domains that an administrator is limited to, in one line. */
export function useDomainNames(): (ids: readonly string[]) => string {
  const { words, locale } = useSpeech()
  const { domains } = useSignedIn().session
  return (ids) => {
    if (ids.length === 0) return words.allDomains
    const names = ids.map((id) => domains.find((domain) => domain.id === id)?.name ?? id)
    return names
      .sort((a, b) => a.localeCompare(b, locale))
      .map(isolated)
      .join(words.comma)
  }
}
