import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { Keypad } from '../parts/keypad.tsx'
import { SecretField } from '../parts/secret-field.tsx'
import { useWords } from '../words/speech.tsx'

interface PinFormProps {
  readonly title: string
  readonly kind: 'PIN' | 'PASSCODE'
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onPin: (pin: string) => void
  readonly onCancel: () => void
  /** The purpose of the PIN, in words. */
  readonly children: ComponentChildren
}

/** Asks for the PIN or passcode of an account. */
export function PinForm({ title, kind, busy, problem, onPin, onCancel, children }: PinFormProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)

  useLayoutEffect(() => {
    if (problem === undefined || busy) return
    form.current?.reset()
    form.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [problem, busy])

  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const pin = new FormData(event.currentTarget).get('pin')
    if (typeof pin === 'string' && pin !== '') onPin(pin)
  }
  return (
    <Card title={title}>
      <p class="sentence">{children}</p>
      <form ref={form} onSubmit={submit}>
        <SecretField kind={kind} name="pin" label={kind === 'PIN' ? words.yourPin : words.yourPasscode} focused />
        {kind === 'PIN' ? <Keypad form={form} /> : null}
        <Problem text={problem} />
        <div class="actions">
          <Button class="outlined" disabled={busy} onClick={onCancel} label={words.cancel} />
          <Button type="submit" class="filled" disabled={busy} label={busy ? words.oneMoment : words.continue} />
        </div>
      </form>
    </Card>
  )
}
