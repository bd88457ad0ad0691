interface ChoiceProps {
  readonly label: string
  /** The text for no choice. */
  readonly none: string
  readonly options: readonly (readonly [string, string])[]
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A choice of a filter. */
export function Choice({ label, none, options, value, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
        <option value="">{none}</option>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
