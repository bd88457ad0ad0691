import type { ComponentChildren } from 'preact'

import { useWords } from '../../words/speech.tsx'
import { type SettingChanges, type SettingName, type Settings, numberLimits } from './settings.ts'
import { Options, PasskeyOptions } from './setting-options.tsx'

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
  if (name === 'phishingResistant') return <PasskeyOptions settings={settings} onChange={onChange} />
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
    <div class="field">
      <label>
        <span>{apps.fields[name].label}</span>
        {children}
      </label>
      <small id={hintOf(name)}>{apps.fields[name].sentence}</small>
    </div>
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
