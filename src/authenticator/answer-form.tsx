import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { DeviceRequest } from '../contract/device.ts'
import { type Account, requiredSecret } from '../device/account.ts'
import { isolated } from '../device/printable.ts'
import type { Answer } from '../device/requests.ts'
import { Button, IconButton } from './button.tsx'
import { Problem } from './card.tsx'
import { DigitField } from './digit-field.tsx'
import { Keypad } from './keypad.tsx'
import { focus } from './secret-field.tsx'
import { useWords } from './words/speech.tsx'
import type { Words } from './words/en.ts'

interface AnswerFormProps {
  readonly account: Account
  readonly request: DeviceRequest
  readonly busy: boolean
  /** Whether presses are ignored. */
  readonly blocked: boolean
  /** Why the last answer failed. */
  readonly problem: string | undefined
  readonly onAnswer: (answer: Answer) => void
  readonly onDeny: () => void
}

/** What an approval requires. They are asked for one after the other, in the same place. */
type Question = 'number' | 'PIN' | 'PASSCODE'

const pinLength = 4

/** Ids of what the request is about, which screen readers announce after the name of a field. */
const description = 'title who facts'

/** One question at a time, its keypad, and the two answers. */
export function AnswerForm({ account, request, busy, blocked, problem, onAnswer, onDeny }: AnswerFormProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)
  const [number, setNumber] = useState('')
  const [secret, setSecret] = useState('')
  const [hint, setHint] = useState<string>()
  const questions = questionsOf(account, request)
  const [question, setQuestion] = useState(questions[0])
  const complete = {
    number: number.length === request.numberLength,
    PIN: secret.length === pinLength,
    PASSCODE: !!secret,
  }
  const isFirst = question === questions[0]
  const missing = questions.find((each) => !complete[each])

  // A layout effect: text that the person types after reading the message stays.
  useLayoutEffect(() => {
    // After any error the secret has to be typed again; the number stays.
    if (problem === undefined || busy) return
    setSecret('')
    form.current?.querySelector<HTMLInputElement>('input[type=password]')?.focus({ preventScroll: true })
  }, [problem, busy])

  function typeNumber(digits: string) {
    setHint(undefined)
    setNumber(digits)
    if (digits.length === request.numberLength) setQuestion(questions.at(-1))
  }
  function typeSecret(text: string) {
    setHint(undefined)
    setSecret(text)
  }
  function backToNumber(digits: string) {
    if (isFirst) return
    setNumber(digits)
    setQuestion('number')
  }
  function approve(event: SubmitEvent) {
    event.preventDefault()
    if (blocked) return
    if (missing === undefined) {
      return onAnswer({
        decision: 'approve',
        ...(request.numberLength > 0 && { number }),
        ...(secret !== '' && { pin: secret }),
      })
    }
    setHint(missing === 'PIN' ? words.pinForm : labelOf(missing, request, words))
    setQuestion(missing)
    form.current?.querySelector('input')?.focus({ preventScroll: true })
  }
  return (
    <form class="answer" ref={form} onSubmit={approve} noValidate>
      <div class="question">
        {question === undefined ? null : (
          <label for={fieldOf(question)} class={(hint ?? problem) === undefined ? '' : 'unseen'}>
            {labelOf(question, request, words)}
          </label>
        )}
        <Problem text={hint ?? problem} />
      </div>
      {question === undefined ? null : (
        <div class={isFirst ? 'asked alone' : 'asked'}>
          {isFirst ? null : <IconButton icon="back" label={words.changeNumber} onClick={() => backToNumber(number)} />}
          {question === 'PASSCODE' ? (
            <input
              id="pin"
              name="pin"
              type="password"
              maxLength={64}
              autocomplete="current-password"
              aria-describedby={description}
              value={secret}
              onInput={({ currentTarget }) => typeSecret(currentTarget.value)}
              ref={focus}
            />
          ) : (
            <DigitField
              key={question}
              name={fieldOf(question)}
              {...(question === 'PIN'
                ? { length: pinLength, value: secret, onValue: typeSecret, secret: true }
                : { length: request.numberLength, value: number, onValue: typeNumber })}
              describedBy={description}
            />
          )}
        </div>
      )}
      {question === undefined || question === 'PASSCODE' ? null : (
        <Keypad form={form} onEraseEmpty={() => backToNumber(number.slice(0, -1))} />
      )}
      <div class="actions">
        <Button class="outlined" aria-disabled={blocked} onClick={() => blocked || onDeny()} label={words.deny} />
        <Button
          type="submit"
          class={missing === undefined && !busy ? 'filled' : 'filled incomplete'}
          aria-disabled={blocked || missing !== undefined}
          label={words.approve}
        />
      </div>
    </form>
  )
}

function questionsOf(account: Account, request: DeviceRequest): readonly Question[] {
  const secret = requiredSecret(account)
  return [...(request.numberLength > 0 ? (['number'] as const) : []), ...(secret ? [secret] : [])]
}

function fieldOf(question: Question): string {
  return question === 'number' ? 'number' : 'pin'
}

function labelOf(question: Question, { domain, numberLength }: DeviceRequest, words: Words): string {
  if (question === 'number') return words.numberLabel
  if (question === 'PASSCODE') return words.yourPasscode
  return numberLength > 0 ? words.nextPin(isolated(domain.name)) : words.yourPin
}
