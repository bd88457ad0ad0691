import { Button } from '../../../ui/button.tsx'
import { live, pause } from '../../../ui/icons.ts'
import { auditPlace, type AuditQuery } from '../../session/places.ts'
import { useRouter } from '../../session/router.tsx'
import { useWords } from '../../words/speech.tsx'
import type { Follow } from './use-follow.ts'

interface FollowBarProps {
  readonly query: AuditQuery
  readonly on: boolean
  readonly follow: Follow
}

/** Starts and pauses following, and announces what is new. */
export function FollowBar({ query, on, follow: { entries, problem } }: FollowBarProps) {
  const { audit } = useWords()
  const { go } = useRouter()
  return (
    <div class="follow-bar">
      <Button
        class="outlined with-icon"
        icon={on ? pause : live}
        onClick={() => go(auditPlace({ ...query, live: on ? undefined : '1' }), true)}
        label={on ? audit.pause : audit.follow}
      />
      <p role="status" class={problem === undefined ? 'muted' : 'danger'}>
        {on ? (problem ?? (entries.length > 0 ? audit.fresh(entries.length) : audit.following)) : null}
      </p>
    </div>
  )
}
