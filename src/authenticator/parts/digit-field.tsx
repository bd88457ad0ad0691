import { Fragment } from 'preact'

import { focus } from './secret-field.tsx'

interface DigitFieldProps {
  readonly name: string
  /** How many digits it takes. */
  readonly length: number
  readonly value: string
  readonly onValue: (digits: string) => void
  /** Whether the digits are a secret, which is never shown. */
  readonly secret?: boolean
  readonly describedBy: string
}

/**
 * One real input below boxes that show its digits: unlike an input for each digit, it takes pasted, dictated and filled-in
 * text, and screen readers announce one field. Its label is outside and belongs to the id `name`.
 */
export function DigitField({ name, length, value, onValue, secret = false, describedBy }: DigitFieldProps) {
  return (
    <div class="boxes" dir="ltr">
      <input
        id={name}
        name={name}
        {...(secret ? { type: 'password' as const } : { type: 'text' as const })}
        inputMode="numeric"
        autocomplete={secret ? 'current-password' : 'off'}
        data-digits={length}
        aria-describedby={describedBy}
        value={value}
        onInput={({ currentTarget }) => {
          const digits = digitsOf(currentTarget.value).slice(0, length)
          // Preact does not write a value that is the same as before.
          currentTarget.value = digits
          onValue(digits)
        }}
        onClick={moveToEnd}
        onKeyUp={moveToEnd}
        ref={focus}
      />
      {Array.from({ length }, (_, place) => (
        <span key={place} class={boxClass(place, value.length, length)} aria-hidden="true">
          {digitIn(value, place, secret)}
        </span>
      ))}
    </div>
  )
}

function boxClass(place: number, filled: number, length: number): string {
  return place === Math.min(filled, length - 1) ? 'box current' : 'box'
}

function digitIn(value: string, place: number, secret: boolean) {
  const digit = value[place]
  if (digit === undefined) return null
  return secret ? <i class="dot" /> : <Fragment>{digit}</Fragment>
}

/** The digits in what was typed, pasted or dictated. Arabic and Persian keyboards and full-width ones have their own. */
function digitsOf(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/[^0-9]/g, '')
}

/** The boxes show no cursor, so it stays behind the last digit. A selection stays as it is. */
function moveToEnd({ currentTarget: field }: { readonly currentTarget: HTMLInputElement }): void {
  if (field.selectionStart === field.selectionEnd) field.setSelectionRange(field.value.length, field.value.length)
}
