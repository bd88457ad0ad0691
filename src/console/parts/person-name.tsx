import { printable } from '../../ground/printable.ts'
import { useWords } from '../words/speech.tsx'

interface PersonNameProps {
  readonly name: string
  readonly email: string
  /** Whether it is the person who is signed in. */
  readonly isOwn?: boolean
}

export function PersonName({ name, email, isOwn = false }: PersonNameProps) {
  const words = useWords()
  return (
    <>
      <strong>
        <bdi>{printable(name)}</bdi>
        {isOwn ? <span class="badge">{words.you}</span> : null}
      </strong>
      <small>
        <bdi>{printable(email)}</bdi>
      </small>
    </>
  )
}
