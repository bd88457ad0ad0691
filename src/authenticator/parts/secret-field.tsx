interface SecretFieldProps {
  readonly kind: 'PIN' | 'PASSCODE'
  readonly name: string
  readonly label: string
  /** Whether typing starts in this field. */
  readonly focused?: boolean
  /** Whether it is a new secret, which browsers must not fill in. */
  readonly fresh?: boolean
}

/** A field for a PIN or passcode, which is never shown. */
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
        autocomplete={fresh ? 'new-password' : 'current-password'}
        required
        ref={focused ? focus : null}
      />
    </label>
  )
}

/** A stable function, so that it runs once when the field appears, and not at each render. */
export function focus(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
}
