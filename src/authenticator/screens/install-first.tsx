import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Card } from '../parts/card.tsx'
import { useWords } from '../words/speech.tsx'

interface InstallFirstScreenProps {
  /** The code of the link that opened this page: the installed app will ask for it. */
  readonly code: string | undefined
  readonly onSkip: () => void
}

/** On iOS an installed app has separate storage: an account that is added in the browser would be missing there. */
export function InstallFirstScreen({ code, onSkip }: InstallFirstScreenProps) {
  const words = useWords()
  return (
    <Card title={words.installFirst}>
      <p class="sentence">{words.installFirstSentence}</p>
      <ol class="steps">
        <li>{words.installShare}</li>
        <li>{words.installHome}</li>
        <li>{words.installOpen}</li>
      </ol>
      {code === undefined ? null : (
        <div class="row plain">
          <span>
            <small>{words.installCode}</small>
            <strong class="activation-code">
              <bdi dir="ltr">{code}</bdi>
            </strong>
          </span>
          <CopyButton text={code} label={words.installCopy} done={words.copied} />
        </div>
      )}
      <Button class="outlined wide" onClick={onSkip} label={words.installSkip} />
    </Card>
  )
}
