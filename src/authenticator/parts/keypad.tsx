import { useLayoutEffect, useState } from 'preact/hooks'

import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { useWords } from '../words/speech.tsx'

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', undefined, '0', 'erase'] as const

interface KeypadProps {
  /** The form whose digit fields it fills, one after the other. */
  readonly form: { readonly current: HTMLFormElement | null }
  /** Receives a press of the erase key in a field that is empty already. */
  readonly onEraseEmpty?: () => void
}

/**
 * Large keys for one-handed use on touch screens. Unlike the system keyboard, they do not cover the request that the person
 * decides on.
 */
export function Keypad({ form, onEraseEmpty }: KeypadProps) {
  const words = useWords()
  const [isTouch] = useState(() => matchMedia('(pointer: coarse)').matches)

  // Each time it is drawn: a form may show its fields one after the other.
  useLayoutEffect(() => {
    if (!isTouch || !form.current) return
    // Fields still accept hardware keyboards and dictation.
    for (const field of digitFields(form.current)) field.inputMode = 'none'
  })
  // A layout effect: the first taps have to count, too.
  useLayoutEffect(() => {
    const stay = form.current
    if (!stay) return undefined
    const goOn = ({ target }: Event) => {
      if (target instanceof HTMLInputElement && isFull(target)) nextAfter(stay, target)?.focus()
    }
    stay.addEventListener('input', goOn)
    return () => stay.removeEventListener('input', goOn)
  }, [form])

  if (!isTouch) return null
  return (
    <div class="keypad" dir="ltr">
      {keys.map((key) =>
        key === undefined ? (
          <span key="none" class="gap" />
        ) : (
          <button
            key={key}
            type="button"
            tabIndex={-1}
            aria-label={key === 'erase' ? words.deleteDigit : key}
            // Keeps the focus in the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => form.current && press(form.current, key, onEraseEmpty)}
          >
            {key === 'erase' ? <Icon path={icons.erase} /> : key}
          </button>
        ),
      )}
    </div>
  )
}

function press(form: HTMLFormElement, key: string, onEraseEmpty?: () => void): void {
  const fields = digitFields(form)
  const focused = fields.find((each) => each === document.activeElement)
  const field = focused ?? fields.find((each) => !isFull(each)) ?? fields.at(-1)
  if (!field) return
  if (key === 'erase' && field.value === '') return onEraseEmpty?.()
  if (key === 'erase') field.value = field.value.slice(0, -1)
  else if (!isFull(field)) field.value += key
  field.focus({ preventScroll: true })
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

function digitFields(form: HTMLFormElement): readonly HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('input[data-digits]')]
}

function isFull(field: HTMLInputElement): boolean {
  return field.value.length >= Number(field.dataset['digits'] ?? Number.POSITIVE_INFINITY)
}

/** The next empty field, of any kind. */
function nextAfter(form: HTMLFormElement, field: HTMLInputElement): HTMLInputElement | undefined {
  const fields = [...form.querySelectorAll('input')]
  return fields.slice(fields.indexOf(field) + 1).find((each) => each.value === '')
}
