import type { ComponentChildren } from 'preact'

import { Icon } from '../../../ui/icon.tsx'
import { warning } from '../../../ui/icons.ts'
import { useWords } from '../../words/speech.tsx'
import { type SettingChanges, type SettingName, type Settings, usesPasskeys } from './settings.ts'

interface OptionsProps<V extends string> {
  readonly name: SettingName
  readonly options: Readonly<Record<V, string>>
  readonly value: V
  readonly disabled?: (value: V) => boolean
  readonly onChange: (value: V) => void
  readonly children?: ComponentChildren
}

/** A setting of which each choice has a line of its own. */
export function Options<V extends string>({ name, options, value, disabled, onChange, children }: OptionsProps<V>) {
  const { apps } = useWords()
  return (
    <fieldset class="choices" aria-describedby={`${name}-hint`}>
      <legend>{apps.fields[name].label}</legend>
      <small id={`${name}-hint`}>{apps.fields[name].sentence}</small>
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

interface PasskeyOptionsProps {
  readonly settings: Settings
  readonly onChange: (changes: SettingChanges) => void
}

/** Says who is locked out, and what clients cannot do. */
export function PasskeyOptions({ settings, onChange }: PasskeyOptionsProps) {
  const { apps } = useWords()
  const { phishingResistant = 'off' } = settings
  const possible = usesPasskeys(settings)
  return (
    <Options
      name="phishingResistant"
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
