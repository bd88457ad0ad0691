import type { AuditItem } from '../../../admin-contract/audit.ts'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { useDateTime } from '../../parts/time.tsx'
import { useWords } from '../../words/speech.tsx'
import { type Names, useEntryWords } from './entry-words.ts'

interface EntryListProps {
  readonly entries: readonly AuditItem[]
  readonly names: Names
  readonly onOpen: (item: AuditItem) => void
}

export function EntryList({ entries, names, onOpen }: EntryListProps) {
  const { audit } = useWords()
  const dateTime = useDateTime()
  const { sentence, circumstances, actor, about } = useEntryWords(names)
  const columns: readonly Column<AuditItem>[] = [
    {
      title: audit.what,
      cell: (item) => (
        <>
          <strong>{sentence(item)}</strong>
          <small>{circumstances(item)}</small>
        </>
      ),
    },
    { title: audit.about, cell: (item) => <bdi>{about(item)}</bdi> },
    {
      title: audit.by,
      cell: (item) => (
        <>
          <bdi>{actor(item)}</bdi>
          {item.address === null ? null : (
            <small>
              <bdi dir="ltr">{item.address}</bdi>
            </small>
          )}
        </>
      ),
    },
    // The exact time: an entry is evidence.
    { title: audit.when, cell: ({ at }) => dateTime(at) },
  ]
  return (
    <div class="entries">
      <DataList
        label={audit.title}
        rows={entries}
        columns={columns}
        keyOf={({ position }) => String(position)}
        onOpen={onOpen}
      />
    </div>
  )
}
