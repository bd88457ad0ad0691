import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'

import { Icon } from '../../ui/icon.tsx'
import { check } from '../../ui/icons.ts'

const Said = createContext<(text: string) => void>(() => {})

/** How long a message stays, milliseconds. */
const shownTime = 7_000

/** Where the screens say that something is done. The message stays while the next screen appears. */
export function ToastProvider({ children }: { readonly children: ComponentChildren }) {
  const [message, setMessage] = useState<{ readonly text: string }>()
  const say = useMemo(() => (text: string) => setMessage({ text }), [])

  useEffect(() => {
    if (!message) return undefined
    const timer = setTimeout(() => setMessage(undefined), shownTime)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <Said.Provider value={say}>
      {children}
      {/* It always exists, so that screen readers announce changes. */}
      <div class="toasts" role="status">
        {message ? (
          <p class="toast">
            <Icon path={check} />
            <span>{message.text}</span>
          </p>
        ) : null}
      </div>
    </Said.Provider>
  )
}

/** Says that something is done. */
export const useToast = (): ((text: string) => void) => useContext(Said)
