import { linkDays } from '../../../admin-contract/link-days.ts'
import type { ActionValues, PersonAction } from './action.ts'
import type { Words } from '../../texts/en.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'

interface ActionFieldsProps {
  /** The apps to choose from, where there are several. */
  readonly apps?: readonly string[] | undefined
  readonly asks: NonNullable<PersonAction['asks']>
  readonly values: ActionValues
  readonly onChange: (values: ActionValues) => void
}

/** The input for an action on a person. */
export function ActionFields({ asks, apps = [], values, onChange }: ActionFieldsProps) {
  const words = useWords()
  const { domains } = useSignedIn().session
  if (asks === 'serialNumber') {
    return (
      <div class="field">
        <label>
          <span>{words.serialNumber}</span>
          <input
            value={values.serialNumber}
            required
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="serial-hint"
            onInput={({ currentTarget }) => onChange({ ...values, serialNumber: currentTarget.value.trim() })}
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
          value={values.first}
          onInput={(first) => onChange({ ...values, first })}
        />
        <CodeField
          label={words.stock.nextCode}
          value={values.second}
          onInput={(second) => onChange({ ...values, second })}
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
          value={values.email}
          required
          maxLength={254}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange({ ...values, email: currentTarget.value.trim() })}
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
            value={values.domainId}
            onChange={(domainId) => onChange({ ...values, domainId })}
          />
        ) : null}
        <Choice
          label={words.mail.validFor}
          options={days.map((number) => [number, words.mail.days(number)])}
          value={values.days}
          onChange={(number) => onChange({ ...values, days: number })}
        />
      </>
    )
  }
  return (
    <div class="side-by-side">
      <Choice
        label={words.validFor}
        options={validities.map((minutes) => [minutes, durationOf(minutes, words)])}
        value={values.expirationTime}
        onChange={(expirationTime) => onChange({ ...values, expirationTime })}
      />
      <Choice
        label={words.uses}
        options={uses.map((number) => [number, words.times(number)])}
        value={values.usesAllowed}
        onChange={(usesAllowed) => onChange({ ...values, usesAllowed })}
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
    const [choice] = options[selectedIndex] ?? []
    if (choice !== undefined) onChange(choice)
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
