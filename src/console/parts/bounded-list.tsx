import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { useWords } from '../words/speech.tsx'
import { useNumbers } from '../words/use-numbers.ts'

interface BoundedListProps<T> {
  readonly rows: readonly T[]
  /** How many rows are shown at first. */
  readonly limit: number
  /** The label of the button that shows all rows. */
  readonly label: string
  readonly children: (rows: readonly T[]) => ComponentChildren
}

/** The first rows of a list that is read as a whole, and a button for all of them: what stands below stays within reach. */
export function BoundedList<T>({ rows, limit, label, children }: BoundedListProps<T>) {
  const words = useWords()
  const { count } = useNumbers()
  const [open, setOpen] = useState(false)
  if (rows.length <= limit) return <>{children(rows)}</>
  const shownRows = open ? rows : rows.slice(0, limit)
  return (
    <>
      {children(shownRows)}
      <div class="bounded">
        <Button class="outlined" aria-expanded={open} onClick={() => setOpen(!open)} label={label} />
        <p class="sentence" role="status">
          {words.shown(`${count(1)}–${count(shownRows.length)}`, count(rows.length))}
        </p>
      </div>
    </>
  )
}
