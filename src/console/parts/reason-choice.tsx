import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { Because } from '../../admin-contract/because.ts'
import { useWords } from '../words/speech.tsx'

/** The reason for an action, once it has been chosen. */
export interface Reason {
  readonly because: Because | undefined
  readonly choose: (because: Because) => void
  /** Whether it was asked for already, so that it is missing. */
  readonly missing: boolean
  /** @returns the reason; undefined where there is none yet, which the fields then say. */
  readonly require: () => Because | undefined
}

/** @param initialReason The reason of what was asked for before. Otherwise none is preselected: the audit trail would only record our guess. */
export function useReason(initialReason?: Because): Reason {
  const [because, choose] = useState(initialReason)
  const [isAsked, setAsked] = useState(false)

  function require() {
    setAsked(true)
    return because
  }
  return { because, choose, missing: isAsked && because === undefined, require }
}

/** The reason for an action, which the audit trail records. */
export function ReasonChoice({ reason: { because, choose, missing } }: { readonly reason: Reason }) {
  const words = useWords()
  const id = useId()
  const fields = useRef<HTMLFieldSetElement>(null)

  useEffect(() => {
    if (missing) fields.current?.querySelector('input')?.focus()
  }, [missing])
  return (
    <fieldset ref={fields} class="reasons" aria-describedby={id}>
      <legend>{words.reason}</legend>
      <div class="reason-list">
        {Object.entries(words.reasons).map(([name, text]) => (
          <label key={name} class="chip">
            <input
              type="radio"
              name={`${id}-reason`}
              checked={because === name}
              aria-invalid={missing}
              onChange={() => choose(name as Because)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
      <p id={id} class="danger" role="alert">
        {missing ? words.chooseReason : ''}
      </p>
    </fieldset>
  )
}
