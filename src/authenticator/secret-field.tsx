interface SecretFieldProps {
  readonly kind: 'PIN' | 'PASSCODE'
  readonly name: string
  readonly label: string
  /** Where typing begins. */
  readonly focused?: boolean
  /** Offers to be kept by nobody; a new one is not filled in either. */
  readonly fresh?: boolean
}

/** A PIN or passcode: never shown, never offered again. */
export function SecretField({ kind, name, label, focused = false, fresh = false }: SecretFieldProps) {
  const digits = kind === 'PIN'
  return (
    <label class={digits ? 'field digits' : 'field'}>
      <span>{label}</span>
      <input
        name={name}
        type="password"
        inputMode={digits ? 'numeric' : 'text'}
        {...(digits ? { pattern: '[0-9]{4}', maxLength: 4, 'data-digits': 4 } : { maxLength: 64 })}
        title={label}
        autocomplete={fresh ? 'new-password' : 'off'}
        required
        ref={focused ? focus : null}
      />
    </label>
  )
}

/** Once, when it comes up: the same function, so that later drawing does not call it again. */
export function focus(field: HTMLInputElement | null): void {
  field?.focus({ preventScroll: true })
}
