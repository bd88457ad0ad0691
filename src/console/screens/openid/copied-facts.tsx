import { CopyButton } from '../../../ui/copy-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useWords } from '../../words/speech.tsx'
import { useOpenIdWords } from './words.ts'

export interface CopiedFact {
  readonly label: string
  /** An address or an id. */
  readonly text: string
}

/** Values that administrators copy into the settings of another program. */
export function CopiedFacts({ facts }: { readonly facts: readonly CopiedFact[] }) {
  const { copied } = useWords()
  const words = useOpenIdWords()
  return (
    <Facts
      facts={facts.map(({ label, text }) => ({
        label,
        value: (
          <span class="copied">
            <code dir="ltr">{text}</code>
            <CopyButton text={text} label={words.copy} name={words.copyOf(label)} done={copied} />
          </span>
        ),
      }))}
    />
  )
}
