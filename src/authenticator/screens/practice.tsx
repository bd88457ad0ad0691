import { useRef, useState } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem, Status } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { DigitField } from '../parts/digit-field.tsx'
import { Keypad } from '../parts/keypad.tsx'
import { useWords } from '../words/speech.tsx'

interface PracticeScreenProps {
  /** Whether a notification arrived. */
  readonly reached: boolean
  readonly onBack: () => void
}

/** Two digits, as most requests ask for. */
const newNumber = () => String(10 + ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 90))

/** A request to try out. It exists on this screen only: there is no session, and nothing is sent. */
export function PracticeScreen({ reached, onBack }: PracticeScreenProps) {
  const words = useWords()
  const form = useRef<HTMLFormElement>(null)
  const [number] = useState(newNumber)
  const [typedNumber, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [done, setDone] = useState(false)

  function approve(event: SubmitEvent) {
    event.preventDefault()
    if (typedNumber === number) return setDone(true)
    form.current?.querySelector('input')?.focus({ preventScroll: true })
    if (typedNumber.length < number.length) return
    setTyped('')
    setProblem(words.wrongNumber)
  }
  if (done) {
    return (
      <Card
        key="done"
        title={
          <span class="outcome ok">
            <Icon path={icons.check} />
            <>{words.practiceDone}</>
          </span>
        }
      >
        <p class="sentence centered">{reached ? words.practiceReached : words.notificationsOff}</p>
        <Button class="outlined wide" onClick={onBack} label={words.ok} />
      </Card>
    )
  }
  return (
    <Card title={words.practiceTitle} above={<Status icon={icons.info}>{words.testTitle}</Status>}>
      <p class="sentence">{words.practiceSentence}</p>
      <form class="answer" ref={form} onSubmit={approve} noValidate>
        <div class="question">
          <label for="number" class={problem === undefined ? '' : 'unseen'}>
            {words.practiceNumber(number)}
          </label>
          <Problem text={problem === undefined ? undefined : `${problem} ${words.practiceNumber(number)}`} />
        </div>
        <div class="asked alone">
          <DigitField name="number" length={2} value={typedNumber} onValue={setTyped} describedBy="title" />
        </div>
        <Keypad form={form} onEraseEmpty={() => {}} />
        <div class="actions">
          <Button class="outlined" onClick={onBack} label={words.deny} />
          <Button
            type="submit"
            class={typedNumber.length === 2 ? 'filled' : 'filled incomplete'}
            aria-disabled={typedNumber.length < 2}
            label={words.approve}
          />
        </div>
      </form>
    </Card>
  )
}
