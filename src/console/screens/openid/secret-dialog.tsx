import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { useWords } from '../../words/speech.tsx'
import { useOpenIdWords } from './words.ts'

/** A secret that was made a moment ago. */
export interface ShownSecret {
  /** The name of the client. */
  readonly name: string
  readonly secret: string
}

/** The secret of a client, which is shown once. */
export function SecretDialog({ name, secret, onClose }: ShownSecret & { readonly onClose: () => void }) {
  const words = useWords()
  const texts = useOpenIdWords().secret
  return (
    <Dialog title={texts.new(isolated(name))} onClose={onClose}>
      {(close) => (
        <>
          <p class="sentence">{texts.once}</p>
          <pre class="code" dir="ltr">
            {secret}
          </pre>
          <div class="stacked">
            <CopyButton text={secret} label={texts.copy} done={words.copied} />
            <Button class="filled" onClick={close} label={words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}
