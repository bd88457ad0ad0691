import { useRef, useState } from 'preact/hooks'

import type { Because } from '../../contract/admin/because.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { hasCode } from '../client/errors.ts'
import type { Entered, PersonAction, ShownCode } from '../screens/person-action.ts'
import { useWords } from '../words/speech.tsx'
import { Confirm, Dialog } from './confirm.tsx'
import { ReasonChoice } from './reason-choice.tsx'

interface ActionDialogProps {
  readonly action: PersonAction
  /** Whether the person has a device that can be asked. */
  readonly verifiable: boolean
  /** Asks another administrator to approve it. */
  readonly onAsk: (operation: string, because: Because) => Promise<void>
  /** It is done; with a code to show, if there is one. */
  readonly onDone: (code: ShownCode | undefined) => void
  readonly onClose: () => void
}

/** Asks before an action on a person, and for its reason, which stands in the audit trail. */
export function ActionDialog({ action, verifiable, onAsk, onDone, onClose }: ActionDialogProps) {
  const words = useWords()
  const [because, setBecause] = useState(action.because)
  const [entered, setEntered] = useState<Entered>({ ...nothingEntered, ...action.entered })
  /** Whether the help desk needs another administrator for it. */
  const [guarded, setGuarded] = useState(false)

  /** Set once the action has succeeded. */
  const done = useRef<{ readonly code: ShownCode | undefined }>(undefined)

  // Only now: the browser has returned the focus to the button, and no two dialogs are open.
  function closed() {
    onClose()
    if (done.current) onDone(done.current.code)
  }
  async function confirm() {
    if (guarded) return onAsk(action.operation, because)
    try {
      done.current = { code: await action.run(because, entered) }
    } catch (error) {
      if (!hasCode(error, 'api.error.forbidden.guarded')) throw error
      setGuarded(true)
      return false
    }
  }
  if (guarded) {
    return (
      <Confirm key="guarded" title={words.askAnother} action={words.ask} harmless onConfirm={confirm} onClose={onClose}>
        <p>{words.askAnotherSentence}</p>
        {verifiable ? <p>{words.caller.orVerify}</p> : null}
      </Confirm>
    )
  }
  return (
    <Confirm
      key="action"
      title={action.title}
      action={action.action}
      harmless={action.harmless ?? false}
      onConfirm={confirm}
      onClose={closed}
    >
      <p>{action.sentence}</p>
      {action.asks === undefined ? null : <Fields asks={action.asks} entered={entered} onChange={setEntered} />}
      <ReasonChoice because={because} onChange={setBecause} />
    </Confirm>
  )
}

const nothingEntered: Entered = { serialNumber: '', usesAllowed: 1, expirationTime: 24 * 60, first: '', second: '' }

interface FieldsProps {
  readonly asks: NonNullable<PersonAction['asks']>
  readonly entered: Entered
  readonly onChange: (entered: Entered) => void
}

function Fields({ asks, entered, onChange }: FieldsProps) {
  const words = useWords()
  if (asks === 'serialNumber') {
    return (
      <div class="field">
        <label>
          <span>{words.serialNumber}</span>
          <input
            value={entered.serialNumber}
            required
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="serial-hint"
            onInput={({ currentTarget }) => onChange({ ...entered, serialNumber: currentTarget.value.trim() })}
          />
        </label>
        <small id="serial-hint">{words.serialHint}</small>
      </div>
    )
  }
  if (asks === 'twoCodes') {
    return (
      <div class="side-by-side">
        <CodeField
          label={words.stock.firstCode}
          value={entered.first}
          onInput={(first) => onChange({ ...entered, first })}
        />
        <CodeField
          label={words.stock.nextCode}
          value={entered.second}
          onInput={(second) => onChange({ ...entered, second })}
        />
      </div>
    )
  }
  return (
    <div class="side-by-side">
      <Choice
        label={words.validFor}
        options={validities.map((minutes) => [minutes, words.duration(minutes / 60)])}
        value={entered.expirationTime}
        onChange={(expirationTime) => onChange({ ...entered, expirationTime })}
      />
      <Choice
        label={words.uses}
        options={uses.map((number) => [number, words.times(number)])}
        value={entered.usesAllowed}
        onChange={(usesAllowed) => onChange({ ...entered, usesAllowed })}
      />
    </div>
  )
}

interface CodeFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (code: string) => void
}

/** A code that a hardware token shows. */
function CodeField({ label, value, onInput }: CodeFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        value={value}
        required
        inputMode="numeric"
        pattern="[0-9]{6}|[0-9]{8}"
        maxLength={9}
        autocomplete="off"
        dir="ltr"
        onInput={({ currentTarget }) => onInput(currentTarget.value.replace(/\s/g, ''))}
      />
    </label>
  )
}

/** Minutes. */
const validities = [60, 8 * 60, 24 * 60, 72 * 60]
const uses = [1, 3, 10]

interface ChoiceProps {
  readonly label: string
  readonly options: readonly (readonly [number, string])[]
  readonly value: number
  readonly onChange: (value: number) => void
}

function Choice({ label, options, value, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {options.map(([number, text]) => (
          <option key={number} value={number}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

interface CodeDialogProps {
  readonly shown: ShownCode
  readonly onClose: () => void
}

/** A code that is shown once, large enough to be read out. */
export function CodeDialog({ shown: { title, code }, onClose }: CodeDialogProps) {
  const words = useWords()
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p class="big-code" dir="ltr">
            {grouped(code)}
          </p>
          <p class="sentence">{words.shownOnce}</p>
          <div class="actions">
            <CopyButton text={code} label={words.copyCode} done={words.copied} />
            <Button class="filled" onClick={close} label={words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}

/** In groups that people can read out: nine digits in threes, ten characters in fives. */
function grouped(code: string): string {
  const size = code.length % 3 === 0 ? 3 : 5
  return code.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? code
}
