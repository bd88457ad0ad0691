import { useState } from 'preact/hooks'

import type { DomainSettings } from '../../../admin-contract/domains.ts'
import { printable } from '../../../ground/printable.ts'
import { Page } from '../../parts/page.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { auditPlace, peoplePlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { ApiKeys } from './api-keys.tsx'
import { Looks } from './looks.tsx'
import { SettingsFacts } from './settings-facts.tsx'
import { SettingsForm } from './settings-form.tsx'
import type { SettingChanges } from './settings.ts'

/** One app: how people see it, its rules, and its keys. */
export function DomainScreen({ id }: { readonly id: string }) {
  const { apps, audit } = useWords()
  const { client, session } = useSignedIn()
  const loaded = useLoad(id, () => client.call('GET /admin/domains/:domainId', { params: { domainId: id } }))
  const behind = (
    <div class="buttons inline">
      <Link to={peoplePlace({ domain: id })} class="button outlined">
        {apps.people}
      </Link>
      {session.administrator.role === 'helpdesk' ? null : (
        <Link to={auditPlace({ domain: id })} class="button outlined">
          {audit.title}
        </Link>
      )}
    </div>
  )
  return (
    <Page
      title={loaded.value ? printable(loaded.value.name) : apps.title}
      above={{ to: 'apps', title: apps.title }}
      actions={behind}
    >
      <WhenLoaded loaded={loaded}>{(domain) => <DomainParts domain={domain} reload={loaded.reload} />}</WhenLoaded>
    </Page>
  )
}

interface DomainPartsProps {
  readonly domain: DomainSettings
  readonly reload: () => Promise<void>
}

function DomainParts({ domain, reload }: DomainPartsProps) {
  const { session, renew } = useSignedIn()
  const [saves, setSaves] = useState(0)
  const [name, setName] = useState(domain.name)
  const { role } = session.administrator
  const changeable = role === 'owner' || role === 'admin'

  async function saved(changes: SettingChanges) {
    await reload()
    setSaves((count) => count + 1)
    // Other screens have the names of apps from the session.
    if (changes.name !== undefined) await renew()
  }
  return (
    <>
      <Looks domain={domain} name={name} changeable={changeable} />
      {changeable ? (
        <SettingsForm key={saves} domain={domain} onName={setName} onSaved={saved} />
      ) : (
        <SettingsFacts domain={domain} />
      )}
      <ApiKeys domainId={domain.id} />
    </>
  )
}
