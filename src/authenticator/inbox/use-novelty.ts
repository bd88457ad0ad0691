import { useEffect, useState } from 'preact/hooks'

import type { Device } from '../../device/device.ts'
import { isNewPlace } from '../accounts/facts.ts'
import type { Novelty } from '../accounts/facts.ts'
import type { Pending } from './use-inbox.ts'

/**
 * The service says whether the browser is new, by its cookie: its name and place are what an attacker chooses. The place is compared with
 * those of the newest requests that were approved on this device.
 */
export function useNovelty(device: Device, { account, request }: Pending): Novelty {
  const [place, setPlace] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    const compare = async () => {
      const { entries } = await device.history(account)
      if (!isUnmounted) setPlace(isNewPlace(request, entries))
    }
    // The person can decide without it.
    compare().catch(() => {})
    return () => void (isUnmounted = true)
  }, [device, request.id])
  return { browser: request.neverPassed === true, place }
}
