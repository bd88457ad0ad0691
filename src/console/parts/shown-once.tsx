import { createContext, type ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'

/** Draws what is shown. @param close Takes it away. */
type Draw = (close: () => void) => ComponentChildren

const Shown = createContext<(draw: Draw) => void>(() => {})

/** Where secrets appear that are shown once, wherever the person has gone since asking for them. */
export function ShownOnceProvider({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<{ readonly draw: Draw }>()
  const [show] = useState(() => (draw: Draw) => setShown({ draw }))
  return (
    <Shown.Provider value={show}>
      {children}
      {shown?.draw(() => setShown(undefined))}
    </Shown.Provider>
  )
}

/** Shows what cannot be shown again. */
export const useShownOnce = (): ((draw: Draw) => void) => useContext(Shown)
