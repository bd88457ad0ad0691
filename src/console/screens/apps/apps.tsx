import { useState } from 'preact/hooks'

import type { ListedDomain } from '../../../admin-contract/domains.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { grid, plus } from '../../../ui/icons.ts'
import { BoundedList } from '../../parts/bounded-list.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { useToast } from '../../parts/toast.tsx'
import { domainPlace } from '../../session/places.ts'
import { useLeadOn } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'
import { AddApp } from './add-app.tsx'
import { ApiKeys } from './api-keys.tsx'
import { AppImage } from './app-image.tsx'

/** How many apps are shown at first: the API keys below stay within reach. */
const maxShown = 50

/** The apps that people sign in to, and the keys of these apps. */
export function AppsScreen() {
  const { apps } = useWords()
  const { client, session } = useSignedIn()
  const leadOn = useLeadOn()
  const say = useToast()
  const [adding, setAdding] = useState(false)
  const loaded = useLoad('apps', () => client.call('GET /admin/domains', {}))
  const isOwner = session.administrator.role === 'owner'
  const actions = isOwner ? (
    <Button class="filled with-icon" icon={plus} onClick={() => setAdding(true)} label={apps.add} />
  ) : undefined
  return (
    <Page title={apps.title} sentence={apps.sentence} actions={actions}>
      <WhenLoaded loaded={loaded}>{(domains) => <AppList domains={domains} />}</WhenLoaded>
      <ApiKeys />
      {adding ? (
        <AddApp
          onAdded={({ id, name }) => {
            say(apps.added(isolated(name)))
            leadOn(domainPlace(id))
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </Page>
  )
}

function AppList({ domains }: { readonly domains: readonly ListedDomain[] }) {
  const words = useWords()
  const { apps } = words
  const { count } = useNumbers()
  if (domains.length === 0) {
    return (
      <Empty icon={grid}>
        <p>{apps.none}</p>
      </Empty>
    )
  }
  const columns: readonly Column<ListedDomain>[] = [
    {
      title: apps.fields.name.label,
      cell: ({ id, name }) => (
        <span class="app-name">
          <AppImage domainId={id} />
          <strong>
            <bdi>{printable(name)}</bdi>
          </strong>
        </span>
      ),
    },
    { title: apps.fields.type.label, cell: ({ type }) => apps.types[type] },
    {
      title: apps.people,
      cell: ({ members }) => (members === undefined ? apps.notCounted : count(members)),
    },
    { title: apps.parts.signIn, cell: ({ phishingResistant = 'off' }) => apps.policies[phishingResistant] },
  ]
  return (
    <BoundedList rows={domains} limit={maxShown} label={words.allDomains}>
      {(shownDomains) => (
        <DataList
          label={apps.title}
          rows={shownDomains}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => domainPlace(id)}
        />
      )}
    </BoundedList>
  )
}
