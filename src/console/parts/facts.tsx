import type { ComponentChildren } from 'preact'

export interface Fact {
  readonly label: string
  readonly value: ComponentChildren
  readonly note?: string
}

/** A list of labels and values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ label, value, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note === undefined ? null : <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
