import { Link } from '../router.tsx'
import { useWords } from '../words/speech.tsx'

interface PagesProps {
  /** The address of the first page, on every other page. */
  readonly first: string | undefined
  /** The address of the next page, if there is one. */
  readonly next: string | undefined
}

/** The links below a list that comes in pages. */
export function Pages({ first, next }: PagesProps) {
  const words = useWords()
  if (first === undefined && next === undefined) return null
  return (
    <nav class="buttons" aria-label={words.pages}>
      {first === undefined ? null : (
        <Link to={first} class="button outlined">
          {words.firstPage}
        </Link>
      )}
      {next === undefined ? null : (
        <Link to={next} class="button outlined">
          {words.nextPage}
        </Link>
      )}
    </nav>
  )
}
