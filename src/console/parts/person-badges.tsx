import type { PersonSummary } from '../../admin-contract/people.ts'
import { key, lock, warning } from '../../ui/icons.ts'
import { Badge } from './badge.tsx'
import { Time, useDayTime } from './time.tsx'
import { useWords } from '../words/speech.tsx'

/** Badges for the facts about a person that need attention. */
export function PersonBadges({ person: { factors, locked, bypassCodes } }: { readonly person: PersonSummary }) {
  const words = useWords()
  return (
    <span class="badges">
      {locked ? <Badge icon={lock} text={words.locked} tone="danger" /> : null}
      {factors.length === 0 ? <Badge icon={warning} text={words.notEnrolled} /> : null}
      {bypassCodes > 0 ? <Badge icon={key} text={words.bypassInUse} /> : null}
    </span>
  )
}

/** The last sign-in to any domain, to the day in a list of people. */
export function LastSignIn({ person: { lastSignInAt } }: { readonly person: PersonSummary }) {
  const words = useWords()
  return lastSignInAt === undefined ? <>{words.bulk.noSignIn}</> : <Time at={lastSignInAt} />
}

/** Says until when the codes of a person are locked. @param until Unix time, seconds; null until an administrator unlocks them. */
export function useLockedUntil(): (until: number | null) => string {
  const words = useWords()
  const dayTime = useDayTime()
  return (until) => (until === null ? words.lockedForever : words.lockedUntil(dayTime(until)))
}
