import { useEffect, useState } from 'preact/hooks'

import type { Inbox, Pending, PendingApproval } from './use-inbox.ts'
import { useVisible } from '../hooks/use-visible.ts'

/** Opens the request or approval of a notification, shows how many things wait in the badge, and closes notifications once their content is on the screen. */
export function useNotices(
  { pending, approvals }: Inbox,
  count: number,
  linked: string | undefined,
  onOpen: (pending: Pending) => void,
  onApproval: (pending: PendingApproval) => void,
  onPractice: () => void,
): void {
  const [linkedId, setWanted] = useState(linked)
  const visible = useVisible()

  useEffect(() => setWanted(linked), [linked])
  useEffect(() => {
    const read = ({ data }: MessageEvent<unknown>) => {
      const session = sessionOf(data)
      if (isPractice(data)) onPractice()
      else if (session !== undefined) setWanted(session)
      else if (!document.hidden) void closeNotices()
    }
    navigator.serviceWorker?.addEventListener('message', read)
    return () => navigator.serviceWorker?.removeEventListener('message', read)
  }, [])
  useEffect(() => {
    const linkedRequest = pending.find(({ request }) => request.id === linkedId)
    const linkedApproval = approvals.find(({ approval }) => approval.id === linkedId)
    if (!linkedRequest && !linkedApproval) return
    setWanted(undefined)
    if (linkedRequest) onOpen(linkedRequest)
    if (linkedApproval) onApproval(linkedApproval)
  })
  useEffect(() => {
    // Not every browser has badges, and the app works without them.
    void (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => undefined)
    if (visible.now) void closeNotices()
  }, [count, visible])
}

function sessionOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('open' in data)) return undefined
  return typeof data.open === 'string' ? data.open : undefined
}

/** Whether the notification of a test was pressed. */
function isPractice(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'practice' in data && data.practice !== undefined
}

async function closeNotices(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const notice of (await registration?.getNotifications?.()) ?? []) {
    // The person is to see whether a test arrives.
    if (notice.tag !== 'test') notice.close()
  }
}
