import { useEffect, useState } from 'preact/hooks'

import type { AuditItem } from '../../../admin-contract/audit.ts'
import { useProblem } from '../../hooks/problem.ts'
import { auditPlace, type AuditFilter } from '../../session/places.ts'
import { useSignedIn } from '../../session/session.tsx'

export interface Follow {
  /** The entries since the page was loaded, newest first. */
  readonly entries: readonly AuditItem[]
  readonly names: Readonly<Record<string, string>>
  /** Why it is interrupted. It continues by itself. */
  readonly problem: string | undefined
}

/** How long the service holds a request, seconds: shorter than proxies allow a response to be silent. */
const wait = 25

/** How long to pause after an error, or after an answer that came at once and had nothing, milliseconds. */
const pause = 5_000

/** How many new entries the page keeps. */
const maxEntries = 500

const nothing = { entries: [], names: {} }

/** Asks for new entries while the page is visible. @param head Where the loaded page ends. */
export function useFollow(on: boolean, filter: Omit<AuditFilter, 'q'>, head: number | undefined): Follow {
  const { client } = useSignedIn()
  const problemOf = useProblem()
  const visible = useVisible()
  const key = `${head} ${auditPlace(filter)}`
  const [state, setState] = useState({ key, ...nothing, at: head, problem: undefined as string | undefined })
  const current = state.key === key ? state : { key, ...nothing, at: head, problem: undefined }

  useEffect(() => {
    if (!on || !visible || current.at === undefined) return undefined
    const ending = new AbortController()
    void follow(current.at, ending.signal)
    return () => ending.abort()
  }, [on, visible, key])

  async function follow(start: number, signal: AbortSignal) {
    for (let at = start; !signal.aborted;) {
      const requestTime = Date.now()
      const page = await client
        .call('GET /admin/audit', { query: { ...filter, after: String(at) } }, { wait, signal })
        .catch((error: unknown) => {
          if (!signal.aborted) setState((before) => ({ ...startedAt(before), problem: problemOf(error) }))
        })
      if (signal.aborted) return
      if (page) {
        at = page.head
        setState((before) => withNew(startedAt(before), page))
      }
      if (!page || (page.entries.length === 0 && Date.now() - requestTime < 1_000)) await paused(signal)
    }
  }
  const startedAt = (before: typeof state) => (before.key === key ? before : { ...current })
  return current
}

function withNew<S extends Follow>(
  before: S,
  { entries, names, head }: { entries: AuditItem[]; names: Record<string, string>; head: number },
) {
  return {
    ...before,
    entries: [...entries, ...before.entries].slice(0, maxEntries),
    names: { ...before.names, ...names },
    at: head,
    problem: undefined,
  }
}

const paused = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, pause)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Whether the page can be seen. */
function useVisible(): boolean {
  const [visible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const look = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return visible
}
