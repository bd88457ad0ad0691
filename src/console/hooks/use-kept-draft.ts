import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { draftPrefix } from '../session/drafts.ts'

/**
 * What is typed in a long form, as long as the tab is open: it stays after a reload, a way back, and a session that has ended, until the
 * administrator signs out.
 *
 * @param name Names the form and the administrator.
 * @param unkept A field into which a secret may be pasted by mistake, which is not kept.
 */
export function useKeptDraft<T extends object>(name: string, initial: T, unkept?: keyof T) {
  const key = draftPrefix + name
  const [draft, setDraft] = useState<T>(() => ({ ...initial, ...read(key) }))
  const isOver = useRef(false)

  // At once: the page may be loaded again before it is painted.
  useLayoutEffect(() => {
    if (!isOver.current) write(key, JSON.stringify(unkept === undefined ? draft : { ...draft, [unkept]: undefined }))
  }, [key, draft])
  return {
    draft,
    change: (changes: Partial<T>) => setDraft((before) => ({ ...before, ...changes })),
    /** Forgets what was typed. */
    forget: () => {
      isOver.current = true
      write(key, '{}')
    },
  }
}

function read(key: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as object
  } catch {
    return {}
  }
}

function write(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // A browser may forbid it; then the form is as others are.
  }
}
