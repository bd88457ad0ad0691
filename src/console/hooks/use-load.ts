import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { useProblem } from './problem.ts'

/** A value of a screen, on its way from the service. */
export interface Loaded<T> {
  /** Undefined until it has been loaded. */
  readonly value: T | undefined
  /** Why it could not be loaded. A value that was loaded before stays. */
  readonly problem: string | undefined
  readonly loading: boolean
  /** Whether the value is the one of the current key. */
  readonly current: boolean
  /** @param unattended Whether the page does it by itself. */
  readonly reload: (unattended?: boolean) => Promise<void>
}

interface State<T> {
  readonly key: string
  readonly value?: T | undefined
  readonly problem?: string | undefined
}

/**
 * @param key Another key loads again.
 * @param options.keep Whether the value of the key before stays until the next one is there, so that a list does not flicker.
 */
export function useLoad<T>(key: string, load: (unattended: boolean) => Promise<T>, { keep = false } = {}): Loaded<T> {
  const problemOf = useProblem()
  const [state, setState] = useState<State<T>>({ key })
  const [loading, setLoading] = useState(true)
  const currentKey = useRef(key)
  currentKey.current = key
  /** Answers may overtake each other: only the one to the latest request counts. */
  const requests = useRef(0)

  const reload = useCallback(
    async (unattended = false) => {
      // An action that began under another key may end now.
      if (currentKey.current !== key) return
      const request = ++requests.current
      setLoading(true)
      const next = await load(unattended).then(
        (value) => ({ key, value }),
        (error: unknown) => ({ key, problem: problemOf(error) }),
      )
      if (requests.current !== request) return
      setState((before) => ('value' in next ? next : { ...(keep || before.key === key ? before : {}), ...next }))
      setLoading(false)
    },
    [key],
  )

  useEffect(() => void reload(), [reload])
  const isShown = keep || state.key === key
  return {
    value: isShown ? state.value : undefined,
    problem: isShown ? state.problem : undefined,
    loading,
    current: state.key === key && 'value' in state,
    reload,
  }
}
