import { useCallback, useEffect, useState } from 'preact/hooks'

import { useProblem } from './problem.ts'

/** What a screen shows, on its way from the service. */
export interface Loaded<T> {
  /** Undefined until it has been loaded. */
  readonly value: T | undefined
  /** Why it could not be loaded. A value that was loaded before stays. */
  readonly problem: string | undefined
  readonly loading: boolean
  readonly reload: () => Promise<void>
}

/** @param key Another key loads anew. */
export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const problemOf = useProblem()
  const [state, setState] = useState<{ key?: string; value?: T; problem?: string | undefined }>({})
  const [loading, setLoading] = useState(true)

  const reload = useCallback(async () => {
    setLoading(true)
    try {
      setState({ key, value: await load() })
    } catch (error) {
      const problem = problemOf(error)
      setState((before) => ({ ...(before.key === key ? before : { key }), problem }))
    }
    setLoading(false)
  }, [key])

  useEffect(() => void reload(), [reload])
  return { value: state.key === key ? state.value : undefined, problem: state.problem, loading, reload }
}
