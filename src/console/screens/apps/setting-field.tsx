import type { ComponentChildren } from 'preact'

import { Icon } from '../../../ui/icon.tsx'
import { warning } from '../../../ui/icons.ts'
import { useWords } from '../../words/speech.tsx'
import { type SettingChanges, type SettingName, type Settings, numberLimits, usesPasskeys } from './settings.ts'

interface SettingFieldProps {
  readonly name: SettingName
  readonly settings: Settings
  readonly onChange: (changes: SettingChanges) => void
}

/** A setting with the sentence that explains it. */
export function SettingField({ name, settings, onChange }: SettingFieldProps) {
  const { apps } = useWords()
  if (name === 'type') {
    const onType = (type: string) => onChange({ type: type as Settings['type'] })
    return <Choice name={name} options={apps.types} value={settings.type} onChange={onType} />
  }
  if (name === 'keyType') {
    const onKeyType = (keyType: string) => onChange({ keyType: keyType as Settings['keyType'] })
    return <Choice name={name} options={apps.keyTypes} value={settings.keyType} onChange={onKeyType} />
  }
  if (name === 'numberMatching') {
    return (
      <Options
        name={name}
        options={apps.numbers}
        value={settings.numberMatching ?? 'off'}
        onChange={(numberMatching) => onChange({ numberMatching })}
      />
    )
  }
  if (name === 'phishingResistant') return <PasskeyOptions name={name} settings={settings} onChange={onChange} />
  const value = settings[name]
  if (typeof value === 'boolean') return <Switch name={name} value={value} onChange={onChange} />
  if (name === 'name') {
    return (
      <Field name={name}>
        <input
          value={settings.name}
          required
          maxLength={128}
          autocomplete="off"
          aria-describedby={hintOf(name)}
          onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </Field>
    )
  }
  return <NumberField name={name as NumberName} value={value as number} onChange={onChange} />
}

const hintOf = (name: SettingName): string => `${name}-hint`

function Field({ name, children }: { readonly name: SettingName; readonly children: ComponentChildren }) {
  const { apps } = useWords()
  return (
    <label class="field">
      <span>{apps.fields[name].label}</span>
      {children}
      <small id={hintOf(name)}>{apps.fields[name].sentence}</small>
    </label>
  )
}

type NumberName = keyof typeof numberLimits

interface NumberFieldProps {
  readonly name: NumberName
  readonly value: number
  readonly onChange: (changes: SettingChanges) => void
}

function NumberField({ name, value, onChange }: NumberFieldProps) {
  const [min, max] = numberLimits[name]
  return (
    <Field name={name}>
      <input
        type="number"
        value={Number.isNaN(value) ? '' : value}
        required
        min={min}
        max={max}
        step={1}
        aria-describedby={hintOf(name)}
        onInput={({ currentTarget }) => onChange({ [name]: currentTarget.valueAsNumber })}
      />
    </Field>
  )
}

interface SwitchProps {
  readonly name: SettingName
  readonly value: boolean
  readonly onChange: (changes: SettingChanges) => void
}

function Switch({ name, value, onChange }: SwitchProps) {
  const { apps } = useWords()
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
      />
      <span>
        <strong>{apps.fields[name].label}</strong>
        <small>{apps.fields[name].sentence}</small>
      </span>
    </label>
  )
}

interface ChoiceProps {
  readonly name: SettingName
  readonly options: Readonly<Record<string, string>>
  readonly value: string
  readonly onChange: (value: string) => void
}

function Choice({ name, options, value, onChange }: ChoiceProps) {
  return (
    <Field name={name}>
      <select
        value={value}
        aria-describedby={hintOf(name)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface OptionsProps<V extends string> {
  readonly name: SettingName
  readonly options: Readonly<Record<V, string>>
  readonly value: V
  readonly disabled?: (value: V) => boolean
  readonly onChange: (value: V) => void
  readonly children?: ComponentChildren
}

function Options<V extends string>({ name, options, value, disabled, onChange, children }: OptionsProps<V>) {
  const { apps } = useWords()
  return (
    <fieldset class="choices" aria-describedby={hintOf(name)}>
      <legend>{apps.fields[name].label}</legend>
      <small id={hintOf(name)}>{apps.fields[name].sentence}</small>
      {(Object.keys(options) as V[]).map((option) => (
        <label key={option} class="choice">
          <input
            type="radio"
            name={name}
            checked={value === option}
            disabled={disabled?.(option)}
            onChange={() => onChange(option)}
          />
          <span>{options[option]}</span>
        </label>
      ))}
      {children}
    </fieldset>
  )
}

/** Says who is locked out, and what clients cannot do. */
function PasskeyOptions({ name, settings, onChange }: SettingFieldProps) {
  const { apps } = useWords()
  const { phishingResistant = 'off' } = settings
  const possible = usesPasskeys(settings)
  return (
    <Options
      name={name}
      options={apps.policies}
      value={phishingResistant}
      disabled={(option) => !possible && option !== 'off'}
      onChange={(policy) => onChange({ phishingResistant: policy })}
    >
      <div role="status">
        {possible ? null : <p class="sentence">{apps.noPasskeys}</p>}
        {phishingResistant === 'require' ? (
          <p class="problem">
            <Icon path={warning} />
            <span>{apps.lockout}</span>
          </p>
        ) : null}
      </div>
    </Options>
  )
}
