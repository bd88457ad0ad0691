import { useEffect, useState } from 'preact/hooks'

import type { Account } from '../device/account.ts'
import { currentCode, type OfflineCode } from '../device/offline-code.ts'

/** The code of this moment, while it is wanted. @param now Unix time by this device's clock, seconds. */
export function useOfflineCode(account: Account, wanted: boolean, now: number): OfflineCode | undefined {
  const [code, setCode] = useState<OfflineCode>()
  const due = code === undefined || now >= code.expiresAt

  useEffect(() => {
    if (!wanted) return setCode(undefined)
    if (!due) return undefined
    let late = false
    const renew = async () => {
      const current = await currentCode(account, now)
      if (!late) setCode(current)
    }
    void renew()
    return () => void (late = true)
  }, [account, wanted, due, now])

  // The last one stays until the next one is there: nothing flickers.
  return wanted ? code : undefined
}
