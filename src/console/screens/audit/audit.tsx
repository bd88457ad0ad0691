import { useMemo, useState } from 'preact/hooks'

import type { AuditItem } from '../../../admin-contract/audit.ts'
import { list } from '../../../ui/icons.ts'
import { Exports } from '../../parts/exports.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { auditPlace, type AuditQuery } from '../../session/places.ts'
import { Link, useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useSpeech, useWords } from '../../words/speech.tsx'
import { eventGroups } from './event-groups.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { EntryList } from './entry-list.tsx'
import { Filters } from './filters.tsx'
import { FollowBar } from './follow-bar.tsx'
import { filterOf, isFiltered, readQuery } from './query.ts'
import { Verification } from './verification.tsx'
import { useFollow } from './use-follow.ts'

/** The audit trail, newest first. The address of the page contains the filters. */
export function AuditScreen() {
  const { words, locale } = useSpeech()
  const { client } = useSignedIn()
  const { place } = useRouter()
  const query = readQuery(place.query)
  const groups = useMemo(() => eventGroups(words, locale), [words, locale])
  const filter = filterOf(query, groups)
  const [opened, setOpened] = useState<AuditItem>()
  const { before } = query
  const key = auditPlace({ ...query, live: undefined })
  const loaded = useLoad(key, () => client.call('GET /admin/audit', { query: { ...filter, before } }), { keep: true })
  const isFollowing = query.live !== undefined && before === undefined
  const follow = useFollow(isFollowing && loaded.current, filter, loaded.value?.head)
  const names = { ...loaded.value?.names, ...follow.names }
  return (
    <Page
      title={words.audit.title}
      sentence={words.audit.sentence}
      actions={<Exports path="audit/entries" query={filter} />}
    >
      <Verification />
      <Filters query={query} names={names} groups={groups} found={loaded.current} />
      {before === undefined ? <FollowBar query={query} on={isFollowing} follow={follow} /> : null}
      <WhenLoaded loaded={loaded}>
        {(page) => (
          <>
            <Entries
              entries={[...follow.entries, ...page.entries]}
              names={names}
              query={query}
              continues={page.next !== undefined}
              onOpen={setOpened}
            />
            <Pages query={query} next={page.next} />
          </>
        )}
      </WhenLoaded>
      {opened ? <EntryDialog item={opened} names={names} query={query} onClose={() => setOpened(undefined)} /> : null}
    </Page>
  )
}

interface EntriesProps {
  readonly entries: readonly AuditItem[]
  readonly names: Readonly<Record<string, string>>
  readonly query: AuditQuery
  /** Whether older entries may fit. */
  readonly continues: boolean
  readonly onOpen: (item: AuditItem) => void
}

function Entries({ entries, names, query, continues, onOpen }: EntriesProps) {
  const { audit } = useWords()
  if (entries.length > 0) return <EntryList entries={entries} names={names} onOpen={onOpen} />
  return (
    <Empty icon={list}>
      <p>{continues ? audit.noneHere : isFiltered(query) || query.before ? audit.noneFound : audit.none}</p>
    </Empty>
  )
}

function Pages({ query, next }: { readonly query: AuditQuery; readonly next: number | undefined }) {
  const words = useWords()
  if (next === undefined && query.before === undefined) return null
  return (
    <nav class="buttons" aria-label={words.pages}>
      {query.before === undefined ? null : (
        <Link to={auditPlace({ ...query, before: undefined })} class="button outlined">
          {words.audit.newest}
        </Link>
      )}
      {next === undefined ? null : (
        <Link to={auditPlace({ ...query, before: String(next), live: undefined })} class="button outlined">
          {words.audit.older}
        </Link>
      )}
    </nav>
  )
}
