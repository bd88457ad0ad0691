import { useEffect, useRef } from 'preact/hooks'

import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import { type Problems, shownFields } from './draft.ts'
import { FieldInput } from './field-input.tsx'
import type { Draft, Field, PartName } from './fields.ts'
import { useOpenIdWords } from './words.ts'

interface ClientFieldsProps {
  readonly kind: OidcClientKind
  readonly draft: Draft
  readonly problems: Problems
  readonly onChange: (changes: Partial<Draft>) => void
}

/** The settings of a kind of client, in parts. The first field that has a problem gets the focus. */
export function ClientFields({ kind, draft, problems, onChange }: ClientFieldsProps) {
  const { parts } = useOpenIdWords()
  const form = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // A form may have fields of its own before these.
    form.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problems])
  return (
    <div ref={form} class="settings">
      {partsOf(shownFields(kind, draft)).map(([part, partFields]) => (
        <section key={part} aria-labelledby={`part-${part}`}>
          <h2 id={`part-${part}`}>{parts[part]}</h2>
          {partFields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              kind={kind}
              value={draft[field.name]}
              problem={problems[field.name]}
              onChange={(value) => onChange({ [field.name]: value })}
            />
          ))}
        </section>
      ))}
    </div>
  )
}

/** The fields by their parts, in the order in which these first occur. */
export function partsOf(list: readonly Field[]): readonly (readonly [PartName, readonly Field[]])[] {
  const parts = [...new Set(list.map(({ part }) => part))]
  return parts.map((part) => [part, list.filter((field) => field.part === part)] as const)
}
