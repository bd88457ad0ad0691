import type { StockToken } from '../../../admin-contract/stock.ts'
import { printable } from '../../../ground/printable.ts'
import { check, fob, warning } from '../../../ui/icons.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { useWords } from '../../words/speech.tsx'

interface TokenListProps {
  readonly tokens: readonly StockToken[]
  readonly onOpen: (token: StockToken) => void
}

export function TokenList({ tokens, onOpen }: TokenListProps) {
  const { stock, serialNumber } = useWords()
  const columns: readonly Column<StockToken>[] = [
    {
      title: serialNumber,
      cell: (token) => (
        <>
          <strong>
            <bdi>{printable(token.serialNumber)}</bdi>
          </strong>
          <small>
            <bdi>{printable(token.alias)}</bdi>
          </small>
        </>
      ),
    },
    {
      title: stock.person,
      cell: ({ person }) => (person ? <bdi>{printable(person.name)}</bdi> : <Badge icon={fob} text={stock.free} />),
    },
    { title: stock.sync, cell: ({ syncState }) => <SyncState state={syncState} /> },
  ]
  return <DataList label={stock.title} rows={tokens} columns={columns} keyOf={({ id }) => id} onOpen={onOpen} />
}

/** How well the clock or counter of a token is known. */
export function SyncState({ state }: { readonly state: StockToken['syncState'] }) {
  const { stock } = useWords()
  if (state === 'Out of Sync') return <Badge icon={warning} tone="danger" text={stock.states[state]} />
  if (state === 'Synchronized') return <Badge icon={check} text={stock.states[state]} />
  return <>{stock.states[state]}</>
}
