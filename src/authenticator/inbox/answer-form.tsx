import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import type { DeviceRequest } from '../../contract/device-answers.ts'
import { type Account, requiredSecret } from '../../device/account.ts'
import { isolated } from '../../ground/printable.ts'
import type { Answer } from '../../device/requests.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem } from '../../ui/messages.tsx'
import { DigitField } from '../parts/digit-field.tsx'
import { Keypad } from '../parts/keypad.tsx'
import type { NumberScanner } from '../parts/number-scanner.tsx'
import { focus } from '../parts/secret-field.tsx'
import { useWords } from '../words/speech.tsx'
import type { Words } from '../texts/en.ts'

type QuestionKind = Pick<DeviceRequest, 'id' | 'domain' | 'numberLength' | 'newBrowser' | 'purpose'>

interface AnswerFormProps {
  readonly account: Account
  readonly request: QuestionKind
  /** Words of its own, if it is not a sign-in. */
  readonly labels?: { readonly number: string; readonly deny: string; readonly approve: string }
  /** What has to be done before anything can be approved; empty while that is not known. */
  readonly hold?: string | undefined
  readonly clock: Clock
  readonly busy: boolean
  /** Whether presses are ignored. */
  readonly blocked: boolean
  /** Why the last answer failed. */
  readonly problem: string | undefined
  readonly onAnswer: (answer: Answer) => void
  /** Exchanges the secret of a scanned code for the number; absent where there is no code to scan. */
  readonly onScan?: (secret: string) => Promise<string | undefined>
  readonly onDeny: () => void
}

/** The input that an approval requires. It is asked for one by one, in the same place. */
type Question = 'number' | 'PIN' | 'PASSCODE'

const pinLength = 4

/** Ids of what the request is about, which screen readers announce after the name of a field. */
const description = 'title who facts'

/** One question at a time, its keypad, and the two answers. */
export function AnswerForm({
  account,
  request,
  labels,
  hold,
  clock,
  busy,
  blocked,
  problem,
  onAnswer,
  onScan,
  onDeny,
}: AnswerFormProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)
  const [number, setNumber] = useState('')
  const [secret, setSecret] = useState('')
  const [keepBrowser, setKeepBrowser] = useState(false)
  const [hint, setHint] = useState<string>()
  /** Set while the camera is open in place of the field and its keys. */
  const [Scanner, setScanner] = useState<typeof NumberScanner>()
  const questions = questionsOf(account, request)
  const [question, setQuestion] = useState(questions[0])
  const complete = {
    number: number.length === request.numberLength,
    PIN: secret.length === pinLength,
    PASSCODE: !!secret,
  }
  // An old problem does not hide what to scan.
  const message = hint ?? (Scanner ? undefined : problem)
  const isFirst = question === questions[0]
  const missing = questions.find((each) => !complete[each])

  // A layout effect: text that the person types after reading the message stays.
  useLayoutEffect(() => {
    // After any error the secret has to be typed again; the number stays.
    if (problem === undefined || busy) return
    setSecret('')
    form.current?.querySelector<HTMLInputElement>('input[type=password]')?.focus({ preventScroll: true })
  }, [problem, busy])

  const labelFor = (kind: Question) => (kind === 'number' && labels ? labels.number : labelOf(kind, request, words))
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
  async function openScanner() {
    setHint(undefined)
    try {
      const loaded = await import('../parts/number-scanner.tsx')
      setScanner(() => loaded.NumberScanner)
    } catch {
      setHint(words.unreachableNow)
    }
  }
  function closeScanner(reason?: string) {
    setHint(reason)
    setScanner(undefined)
  }
  async function exchange(scanned: string) {
    closeScanner()
    const digits = await onScan?.(scanned)
    if (digits !== undefined) typeNumber(digits)
  }
  function approve(event: SubmitEvent) {
    event.preventDefault()
    if (blocked || hold !== undefined) return
    if (missing === undefined) {
      return onAnswer({
        decision: 'approve',
        ...(request.numberLength > 0 && { number }),
        ...(secret !== '' && { pin: secret }),
        ...(keepBrowser && { keepBrowser }),
      })
    }
    setScanner(undefined)
    setHint(missing === 'PIN' ? words.pinForm : labelFor(missing))
    setQuestion(missing)
    form.current?.querySelector('input')?.focus({ preventScroll: true })
  }
  return (
    <form class="answer" ref={form} onSubmit={approve} noValidate>
      {mayKeep(request) ? (
        <label class="check">
          <input
            type="checkbox"
            name="keep"
            checked={keepBrowser}
            onChange={({ currentTarget }) => setKeepBrowser(currentTarget.checked)}
          />
          <span>
            {words.keepBrowser}
            <small>{words.keepBrowserMeans}</small>
          </span>
        </label>
      ) : null}
      <div class="question">
        {question === undefined ? null : Scanner ? (
          <p id="scanning" class={message === undefined ? '' : 'unseen'}>
            {words.scanOwnScreen}
          </p>
        ) : (
          <label for={fieldOf(question)} class={message === undefined ? '' : 'unseen'}>
            {labelFor(question)}
          </label>
        )}
        <Problem text={message} />
      </div>
      {question === undefined ? null : Scanner ? (
        <Scanner
          {...{ clock, request }}
          onSecret={(scanned) => void exchange(scanned)}
          onHint={setHint}
          onClose={closeScanner}
        />
      ) : (
        <div class={isFirst && question !== 'number' ? 'asked alone' : 'asked'}>
          {isFirst ? null : (
            <IconButton icon={icons.back} label={words.changeNumber} onClick={() => backToNumber(number)} />
          )}
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
          {question === 'number' && onScan ? (
            <IconButton icon={icons.scan} label={words.scanNumber} onClick={() => void openScanner()} />
          ) : null}
        </div>
      )}
      {Scanner || question === undefined || question === 'PASSCODE' ? null : (
        <Keypad form={form} onEraseEmpty={() => backToNumber(number.slice(0, -1))} />
      )}
      <div class="actions">
        {hold ? <p class="hold">{hold}</p> : null}
        <Button
          class="outlined"
          aria-disabled={blocked}
          onClick={() => blocked || onDeny()}
          label={labels?.deny ?? words.deny}
        />
        <Button
          type="submit"
          class={missing === undefined && hold === undefined && !busy ? 'filled' : 'filled incomplete'}
          aria-disabled={blocked || hold !== undefined || missing !== undefined}
          label={labels?.approve ?? words.approve}
        />
      </div>
    </form>
  )
}

/** A change of devices asks for enough. The answer is no until the person says yes: a relay has a browser to keep as well. */
const mayKeep = ({ newBrowser, purpose }: QuestionKind): boolean => newBrowser === true && purpose === undefined

function questionsOf(account: Account, request: QuestionKind): readonly Question[] {
  const secret = requiredSecret(account)
  return [...(request.numberLength > 0 ? (['number'] as const) : []), ...(secret ? [secret] : [])]
}

function fieldOf(question: Question): string {
  return question === 'number' ? 'number' : 'pin'
}

function labelOf(question: Question, { domain, numberLength }: QuestionKind, words: Words): string {
  if (question === 'number') return words.numberLabel
  if (question === 'PASSCODE') return words.yourPasscode
  return numberLength > 0 ? words.nextPin(isolated(domain.name)) : words.yourPin
}
