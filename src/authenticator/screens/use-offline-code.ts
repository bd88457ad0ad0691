import { useEffect, useState } from 'preact/hooks'

import { type CodeSource, currentCode, type OfflineCode } from '../../device/offline-code.ts'

/** The current code, while there is a source for it. @param now Unix time by this device's clock, seconds. */
export function useOfflineCode(source: CodeSource | undefined, now: number): OfflineCode | undefined {
  const [code, setCode] = useState<OfflineCode>()
  const due = code === undefined || now >= code.expiresAt

  useEffect(() => {
    if (!source) return setCode(undefined)
    if (!due) return undefined
    let late = false
    const renew = async () => {
      const current = await currentCode(source, now)
      if (!late) setCode(current)
    }
    void renew()
    return () => void (late = true)
  }, [source, due, now])

  // The last code stays until the next one is ready, so that nothing flickers.
  return source ? code : undefined
}
