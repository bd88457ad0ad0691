import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Clock } from '../../clock.ts'
import type { DeviceRequest } from '../../contract/device.ts'
import { requiredSecret } from '../../device/account.ts'
import { printable } from '../../device/printable.ts'
import type { Answer } from '../../device/requests.ts'
import { Button } from '../button.tsx'
import { About, Card, Facts, Problem } from '../card.tsx'
import { factsOf } from '../facts.ts'
import { Keypad } from '../keypad.tsx'
import { focus, SecretField } from '../secret-field.tsx'
import { TimeLeft } from '../time-left.tsx'
import { useInputDelay } from '../use-input-delay.ts'
import type { Pending } from '../use-inbox.ts'
import { useSpeech, useWords } from '../words/speech.tsx'

interface RequestScreenProps {
  readonly pending: Pending
  readonly clock: Clock
  readonly now: number
  readonly busy: boolean
  readonly problem: string | undefined
  /** The number of all pending requests. */
  readonly count: number
  readonly onAnswer: (answer: Answer) => void
  readonly onBack: () => void
}

/** One request, with its facts and the form to answer it. */
export function RequestScreen({ pending, clock, now, busy, problem, count, onAnswer, onBack }: RequestScreenProps) {
  const speech = useSpeech()
  const { words } = speech
  const { account, request } = pending
  const ready = useInputDelay(clock)
  const disabled = busy || !ready

  return (
    <Card
      above={
        <About domain={request.domain} serviceUrl={account.serviceUrl}>
          <strong>
            <bdi>{request.domain.name}</bdi>
          </strong>
          {account.organization.name !== request.domain.name && (
            <small>
              <bdi>{account.organization.name}</bdi>
            </small>
          )}
        </About>
      }
      title={<Question request={request} />}
    >
      <Facts facts={factsOf(request, speech)} />
      <AnswerForm {...{ pending, now, problem, busy, disabled, onAnswer }} />
      <footer>
        <Button
          class="link"
          disabled={disabled}
          onClick={() => onAnswer({ decision: 'report' })}
          label={words.report}
        />
        <small>{words.reportSentence}</small>
        <Button class="link" onClick={onBack} label={count > 1 ? words.allRequests(count) : words.later} />
      </footer>
    </Card>
  )
}

/** What an approval allows. The name is emphasized, wherever a language places it. */
function Question({ request }: { readonly request: DeviceRequest }) {
  const words = useWords()
  const [ask, name] =
    request.purpose === 'change_devices'
      ? [words.changeDevicesAt, request.domain.name]
      : [words.signInAs, request.user.username]
  const [before = '', after = ''] = ask('\0').split('\0')
  return (
    <>
      {before}
      <strong>
        <bdi>{printable(name)}</bdi>
      </strong>
      {after}
    </>
  )
}

interface AnswerFormProps extends Pick<RequestScreenProps, 'pending' | 'now' | 'busy' | 'problem' | 'onAnswer'> {
  readonly disabled: boolean
}

/** The fields and the two buttons, which stay visible however many facts there are. */
function AnswerForm({ pending: { account, request }, now, busy, problem, disabled, onAnswer }: AnswerFormProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)
  const secret = requiredSecret(account)
  const numbered = request.numberLength > 0

  // A layout effect: text that the person types after reading the message stays.
  useLayoutEffect(() => {
    // After any error the secret has to be typed again; the number stays.
    const field = form.current?.querySelector<HTMLInputElement>('input[type=password]')
    if (problem === undefined || busy || !field) return
    field.value = ''
    field.focus({ preventScroll: true })
  }, [problem, busy])

  function approve(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    if (disabled) return
    const typed = new FormData(event.currentTarget)
    onAnswer({ decision: 'approve', number: textOf(typed, 'number')?.trim(), pin: textOf(typed, 'pin') })
  }
  return (
    <form class={numbered || secret ? 'answer typed' : 'answer'} ref={form} onSubmit={approve}>
      <TimeLeft request={request} now={now + account.clockOffset} />
      {numbered ? <NumberField length={request.numberLength} /> : null}
      {secret ? (
        <SecretField
          kind={secret}
          name="pin"
          label={secret === 'PIN' ? words.yourPin : words.yourPasscode}
          focused={!numbered}
        />
      ) : null}
      {numbered || secret === 'PIN' ? <Keypad form={form} /> : null}
      <Problem text={problem} />
      <div class="actions">
        <Button
          class="outlined"
          disabled={disabled}
          onClick={() => onAnswer({ decision: 'deny' })}
          label={words.deny}
        />
        <Button type="submit" class="filled" disabled={disabled} label={words.approve} />
      </div>
    </form>
  )
}

function NumberField({ length }: { readonly length: number }) {
  const words = useWords()
  return (
    <label class="number">
      <span>{words.numberLabel}</span>
      <input
        name="number"
        type="text"
        dir="ltr"
        inputMode="numeric"
        pattern={`[0-9]{${length}}`}
        maxLength={length}
        data-digits={length}
        title={words.numberLabel}
        autocomplete="off"
        required
        ref={focus}
      />
    </label>
  )
}

function textOf(typed: FormData, name: string): string | undefined {
  const value = typed.get(name)
  return typeof value === 'string' ? value : undefined
}
