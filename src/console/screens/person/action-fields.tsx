import { linkDays } from '../../../admin-contract/link-days.ts'
import type { Entered, PersonAction } from './action.ts'
import type { Words } from '../../texts/en.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'

interface ActionFieldsProps {
  /** The apps to choose from, where there are several. */
  readonly apps?: readonly string[] | undefined
  readonly asks: NonNullable<PersonAction['asks']>
  readonly entered: Entered
  readonly onChange: (entered: Entered) => void
}

/** What has to be entered for an action on a person. */
export function ActionFields({ asks, apps = [], entered, onChange }: ActionFieldsProps) {
  const words = useWords()
  const { domains } = useSignedIn().session
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
  if (asks === 'email') {
    return (
      <label class="field">
        <span>{words.mail.newAddress}</span>
        <input
          type="email"
          value={entered.email}
          required
          maxLength={254}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange({ ...entered, email: currentTarget.value.trim() })}
        />
      </label>
    )
  }
  if (asks === 'days') {
    return (
      <>
        {apps.length > 1 ? (
          <Choice
            label={words.domain}
            options={domains.filter(({ id }) => apps.includes(id)).map(({ id, name }) => [id, name])}
            value={entered.domainId}
            onChange={(domainId) => onChange({ ...entered, domainId })}
          />
        ) : null}
        <Choice
          label={words.mail.validFor}
          options={days.map((number) => [number, words.mail.days(number)])}
          value={entered.days}
          onChange={(number) => onChange({ ...entered, days: number })}
        />
      </>
    )
  }
  return (
    <div class="side-by-side">
      <Choice
        label={words.validFor}
        options={validities.map((minutes) => [minutes, durationOf(minutes, words)])}
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

/** The minutes that a code works. One of the shortest with one use replaces a missing passkey, or keeps a browser. */
const validities = [30, 60, 8 * 60, 24 * 60, 72 * 60]

const durationOf = (minutes: number, words: Words): string =>
  minutes < 60 ? words.minutes(minutes) : words.duration(minutes / 60)
const uses = [1, 3, 10]
const days = [1, 3, linkDays.usual, 14, linkDays.max]

interface ChoiceProps<T extends string | number> {
  readonly label: string
  readonly options: readonly (readonly [T, string])[]
  readonly value: T
  readonly onChange: (value: T) => void
}

function Choice<T extends string | number>({ label, options, value, onChange }: ChoiceProps<T>) {
  const choose = ({ selectedIndex }: HTMLSelectElement) => {
    const [chosen] = options[selectedIndex] ?? []
    if (chosen !== undefined) onChange(chosen)
  }
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
