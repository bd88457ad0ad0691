import { useEffect, useState } from 'preact/hooks'

import type { Device } from '../device/device.ts'
import { noveltyOf } from './facts.ts'
import type { Novelty } from './facts.ts'
import type { Pending } from './use-inbox.ts'

/**
 * Compares a request with the newest ones that were approved on this device. Until they are loaded, nothing is new but what the
 * service says.
 */
export function useNovelty(device: Device, { account, request }: Pending): Novelty {
  const [novelty, setNovelty] = useState<Novelty>({ browser: false, place: false })
  useEffect(() => {
    let isUnmounted = false
    const compare = async () => {
      const { entries } = await device.history(account)
      if (!isUnmounted) setNovelty(noveltyOf(request, entries))
    }
    // The person can decide without it.
    compare().catch(() => {})
    return () => void (isUnmounted = true)
  }, [device, request.id])
  return { ...novelty, browser: novelty.browser || request.newBrowser === true }
}
