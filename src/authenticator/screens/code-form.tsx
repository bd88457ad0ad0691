import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { useWords } from '../words/speech.tsx'

interface CodeFormProps {
  readonly code: string | undefined
  readonly busy: boolean
  readonly problem: string | undefined
  /** Receives the typed or pasted text: a code, a link, or neither. */
  readonly onCode: (text: string) => void
  readonly onScan: () => void
  /** Absent where there is no account yet: then the screen says what the app is. */
  readonly onCancel: (() => void) | undefined
}

/** Enter a code: with the camera, or by typing. */
export function CodeForm({ code, busy, problem, onCode, onScan, onCancel }: CodeFormProps) {
  const words = useWords()

  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const text = new FormData(event.currentTarget).get('code')
    if (typeof text === 'string') onCode(text)
  }
  return (
    <Card title={words.addTitle}>
      {onCancel ? null : (
        <p class="welcome">
          <img src="./icon.svg" alt="" width="56" height="56" />
          {words.welcome}
        </p>
      )}
      <p class="sentence">{words.addSentence}</p>
      <Button class="filled wide with-icon" icon={icons.scan} disabled={busy} onClick={onScan} label={words.scan} />
      <form onSubmit={submit}>
        <label class="field">
          <span>{words.codeLabel}</span>
          <input
            name="code"
            type="text"
            dir="ltr"
            defaultValue={code ?? ''}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
          />
        </label>
        <Problem text={problem} />
        <div class="actions">
          {onCancel ? <Button class="outlined" onClick={onCancel} label={words.cancel} /> : null}
          <Button type="submit" class="outlined" disabled={busy} label={busy ? words.oneMoment : words.continue} />
        </div>
      </form>
    </Card>
  )
}
