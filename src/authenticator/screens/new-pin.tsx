import { useRef } from 'preact/hooks'

import { passcodeLength, pinProblem } from '../../contract/pin.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { Keypad } from '../parts/keypad.tsx'
import { pinProblemOf } from '../hooks/problem.ts'
import { SecretField } from '../parts/secret-field.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useWords } from '../words/speech.tsx'

interface NewPinScreenProps {
  readonly keyType: 'PIN' | 'PASSCODE'
  readonly busy: boolean
  /** The service's error for the last one. */
  readonly problem: string | undefined
  readonly onPin: (pin: string) => void
  readonly onCancel: () => void
}

/** Asks twice for a new PIN or passcode, as it cannot be looked up later. */
export function NewPinScreen({ keyType, busy, problem, onPin, onCancel }: NewPinScreenProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)
  const { problem: ownProblem, showProblem } = useAttempt()
  const pin = keyType === 'PIN'

  function submit(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const [first, repeatedPin] = [fields.get('pin'), fields.get('again')]
    if (typeof first !== 'string') return
    const wrong = pinProblem(keyType, first)
    const same = first === repeatedPin
    showProblem(wrong ? pinProblemOf(wrong, keyType, words) : same ? undefined : words.mismatch)
    if (!wrong && same) return onPin(first)
    event.currentTarget.reset()
    event.currentTarget.querySelector('input')?.focus()
  }
  return (
    <Card title={pin ? words.newPin : words.newPasscode}>
      <p class="sentence">{pin ? words.newPinSentence : words.newPasscodeSentence(passcodeLength.min)}</p>
      <form ref={form} onSubmit={submit} noValidate>
        <SecretField kind={keyType} name="pin" label={pin ? words.pin : words.passcode} fresh focused />
        <SecretField kind={keyType} name="again" label={pin ? words.pinAgain : words.passcodeAgain} fresh />
        {pin ? <Keypad form={form} /> : null}
        <Problem text={ownProblem ?? problem} />
        <div class="actions">
          <Button class="outlined" disabled={busy} onClick={onCancel} label={words.back} />
          <Button type="submit" class="filled" disabled={busy} label={busy ? words.oneMoment : words.continue} />
        </div>
      </form>
    </Card>
  )
}
