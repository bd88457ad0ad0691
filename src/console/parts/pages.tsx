import type { Total } from '../../admin-contract/lists.ts'
import { Link } from '../session/router.tsx'
import { useWords } from '../words/speech.tsx'
import { useNumbers } from '../words/use-numbers.ts'

/** A page of a list, as the service answers it. */
export interface ListPage {
  /** The position of the first row, from 1. */
  readonly from: number
  readonly total: Total
  readonly next?: number | undefined
}

interface RangeProps {
  readonly page: ListPage
  readonly rows: number
}

/** Which rows of how many are shown, such as "1–50 of 812". Screen readers hear it whenever the list changes. */
export function Range({ page: { from, total }, rows }: RangeProps) {
  const words = useWords()
  const { count } = useNumbers()
  const all = total.more ? `${count(total.count)}+` : count(total.count)
  return rows === 0 ? null : <>{words.shown(`${count(from)}–${count(from + rows - 1)}`, all)}</>
}

interface PagesProps {
  readonly page: ListPage
  /** How many rows a page has. */
  readonly size: number
  /** The address of the page that begins at a row. */
  readonly placeFrom: (from: string | undefined) => string
}

/** The links below a list that comes in pages. */
export function Pages({ page: { from, total, next }, size, placeFrom }: PagesProps) {
  const words = useWords()
  if (from === 1 && next === undefined) return null
  // An address may lead behind the last page: the list is shorter now, or was another one.
  const last = total.more ? from : total.count - ((total.count - 1) % size)
  const previous = Math.min(from - size, last)
  return (
    <nav class="buttons inline" aria-label={words.pages}>
      {from === 1 ? null : (
        <Link to={placeFrom(previous > 1 ? String(previous) : undefined)} class="button outlined">
          {words.previousPage}
        </Link>
      )}
      {next === undefined ? null : (
        <Link to={placeFrom(String(next))} class="button outlined">
          {words.nextPage}
        </Link>
      )}
    </nav>
  )
}
