import { printable } from '../../ground/printable.ts'
import { useWords } from '../words/speech.tsx'
import { Time } from './time.tsx'

interface LastUseProps {
  /** Unix time, seconds; undefined for what was never used. */
  readonly at: number | undefined
  readonly place?: string | undefined
}

export function LastUse({ at, place }: LastUseProps) {
  const words = useWords()
  if (at === undefined) return <>{words.unused}</>
  return (
    <>
      {words.lastUsed} <Time at={at} />
      {place === undefined ? null : (
        <>
          {' · '}
          <bdi>{printable(place)}</bdi>
        </>
      )}
    </>
  )
}
