import type { ComponentChildren } from 'preact'

interface ListBarProps {
  /** The search, filters and the choice of an app. */
  readonly children: ComponentChildren
  /** The range of rows that is shown, once it is known. */
  readonly range: ComponentChildren
}

/** The filters of a list and the range that is shown, in one line where there is room. */
export function ListBar({ children, range }: ListBarProps) {
  return (
    <div class="list-bar">
      {children}
      <p class="range" role="status">
        {range}
      </p>
    </div>
  )
}

interface FilterChoiceProps<F extends string> {
  readonly label: string
  /** The label of the choice without a filter. */
  readonly all: string
  readonly filters: readonly (readonly [F, string])[]
  readonly filter: F | undefined
  readonly onChoose: (filter: F | undefined) => void
}

export function FilterChoice<F extends string>({ label, all, filters, filter, onChoose }: FilterChoiceProps<F>) {
  return (
    <select
      aria-label={label}
      value={filter ?? ''}
      onChange={({ currentTarget }) => onChoose(filters.find(([name]) => name === currentTarget.value)?.[0])}
    >
      <option value="">{all}</option>
      {filters.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  )
}
