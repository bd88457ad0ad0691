import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

import { Link } from '../session/router.tsx'
import { focusNeighbor } from './focus-neighbor.ts'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => ComponentChildren
  /** A column of buttons: its title is only for screen readers. */
  readonly actions?: boolean
  /** Is cut off before the first column is, where there is little room. */
  readonly isLong?: boolean
  /** Is left out of a table that would be wider than its place. */
  readonly isSpare?: boolean
  /** The column by which the list can be sorted. */
  readonly sort?: Sort
}

interface Sort {
  /** The direction, if the list is sorted by the column. */
  readonly now: 'ascending' | 'descending' | undefined
  /** The address of the list, sorted by the column, or in the other direction. */
  readonly to: string
}

interface DataListProps<T> {
  /** The name that screen readers say. */
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  /** The address that a row leads to; its link is the first cell. */
  readonly linkOf?: (row: T) => string
  /** The action that opens a row that leads nowhere; its button is the first cell. */
  readonly onOpen?: (row: T) => void
  /** Check boxes before the rows. */
  readonly choice?: Choice<T> | undefined
}

const arrows = { ascending: '↑', descending: '↓' } as const

interface Choice<T> {
  readonly isChosen: (row: T) => boolean
  readonly onChange: (rows: readonly T[], chosen: boolean) => void
  /** The label of the box of a row, and of the one for all of them. */
  readonly labelOf: (row: T) => string
  readonly labelOfAll: string
}

/** A table, and on narrow screens a list of cards. The arrow keys go from row to row. */
export function DataList<T>({ label, rows, columns, keyOf, linkOf, onOpen, choice }: DataListProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  // The roles are those of the elements: as cards they would lose them.
  return (
    <div class="card list-card">
      <table class={choice ? 'data-list choosing' : 'data-list'} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {choice ? (
              <th scope="col" role="columnheader" class="pick">
                <Box
                  label={choice.labelOfAll}
                  checked={rows.every(choice.isChosen)}
                  onChange={(chosen) => choice.onChange(rows, chosen)}
                />
              </th>
            ) : null}
            {columns.map(({ title, actions, isLong, isSpare, sort }) => (
              <th
                key={title}
                scope="col"
                role="columnheader"
                class={classes({ long: isLong, spare: isSpare })}
                aria-sort={sort?.now}
              >
                {sort ? (
                  <Link to={sort.to} class="sort">
                    {title}
                    <span aria-hidden="true">{sort.now ? arrows[sort.now] : ''}</span>
                  </Link>
                ) : (
                  <span class={actions ? 'unseen' : ''}>{title}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup" onKeyDown={(event) => focusNeighbor(event, body.current)}>
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" class={linkOf || onOpen ? 'leads' : ''}>
              {choice ? (
                <td role="cell" class="pick">
                  <Box
                    label={choice.labelOf(row)}
                    checked={choice.isChosen(row)}
                    onChange={(chosen) => choice.onChange([row], chosen)}
                  />
                </td>
              ) : null}
              {columns.map(({ title, cell, actions, isLong, isSpare }, index) => (
                <td key={title} role="cell" class={classes({ 'row-actions': actions, long: isLong, spare: isSpare })}>
                  {index > 0 && !actions ? (
                    <span class="cell-title" aria-hidden="true">
                      {title}
                    </span>
                  ) : null}
                  {index === 0 && linkOf ? (
                    <Link to={linkOf(row)} class="row-link">
                      {cell(row)}
                    </Link>
                  ) : index === 0 && onOpen ? (
                    <button type="button" class="row-link" onClick={() => onOpen(row)}>
                      {cell(row)}
                    </button>
                  ) : (
                    <div class="cell">{cell(row)}</div>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The names of those classes that apply. */
const classes = (all: Readonly<Record<string, boolean | undefined>>): string =>
  Object.keys(all)
    .filter((name) => all[name])
    .join(' ')

interface BoxProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** The label around it is as large as a finger. */
function Box({ label, checked, onChange }: BoxProps) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </label>
  )
}
