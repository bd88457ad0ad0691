import { useEffect, useState } from 'preact/hooks'

import type { CallerVerification } from '../../../admin-contract/caller-verifications.ts'
import type { Person } from '../../../admin-contract/people.ts'
import { whenVisible } from '../../hooks/when-visible.ts'
import { useSignedIn } from '../../session/session.tsx'

/** How long the service holds a request for the outcome, seconds. */
const heldFor = 15

/** How long the page waits after a request that failed, milliseconds. */
const pause = 3_000

export interface Caller {
  /** The question that waits for an answer, or whose outcome stands. */
  readonly question: CallerVerification | undefined
  /** @param domainId A domain in which the person has a device. */
  readonly ask: (domainId: string) => Promise<void>
}

/**
 * The question to a person's device, and its outcome as soon as it is there. Both come with the person as well, so they survive a
 * reload.
 */
export function useCaller({ id: userId, caller: loaded }: Person, reload: () => Promise<void>): Caller {
  const { client } = useSignedIn()
  const [ownQuestion, setAsked] = useState<CallerVerification>()
  const question = newer(ownQuestion, loaded)
  const waiting = question?.state === 'pending' ? question : undefined

  useEffect(() => {
    if (!waiting) return undefined
    const unmounted = new AbortController()
    const { signal } = unmounted
    const params = { domainId: waiting.domain, userId, callerVerificationId: waiting.id }
    const read = () =>
      client.call(
        'GET /admin/domains/:domainId/users/:userId/caller-verifications/:callerVerificationId',
        { params },
        { wait: heldFor, signal },
      )
    const follow = async () => {
      while (!signal.aborted) {
        await whenVisible(signal)
        const now = await read().catch(() => undefined)
        if (signal.aborted) return
        if (!now) await new Promise((resolve) => setTimeout(resolve, pause))
        else if (now.state !== 'pending') {
          setAsked(now)
          return reload()
        }
      }
    }
    void follow()
    return () => unmounted.abort()
  }, [waiting?.id])

  async function ask(domainId: string) {
    const params = { domainId, userId }
    setAsked(await client.call('POST /admin/domains/:domainId/users/:userId/caller-verifications', { params }))
  }
  return { question, ask }
}

/** The later question; of the same one, the outcome. */
function newer(ownQuestion: CallerVerification | undefined, loaded: CallerVerification | undefined) {
  if (!ownQuestion || !loaded) return ownQuestion ?? loaded
  if (ownQuestion.id === loaded.id) return ownQuestion.state === 'pending' ? loaded : ownQuestion
  return ownQuestion.createdAt >= loaded.createdAt ? ownQuestion : loaded
}
