import { useState } from 'preact/hooks'

import type { ApiKey } from '../../../admin-contract/domains.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { useShownOnce } from '../../parts/shown-once.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { CreateKey, type CreatedKey, KeyDialog } from './create-key.tsx'

interface ApiKeysProps {
  /** Limits the list to the keys that are valid for this app alone. */
  readonly domainId?: string
}

/** The keys of apps, for owners and auditors. */
export function ApiKeys(props: ApiKeysProps) {
  const { role } = useSignedIn().session.administrator
  return role === 'owner' || role === 'auditor' ? <KeyPart {...props} changeable={role === 'owner'} /> : null
}

function KeyPart({ domainId, changeable }: ApiKeysProps & { readonly changeable: boolean }) {
  const { apps } = useWords()
  const { client } = useSignedIn()
  const [creating, setCreating] = useState(false)
  const showOnce = useShownOnce()
  const [revoked, setRevoked] = useState<ApiKey>()
  const loaded = useLoad(`keys ${domainId}`, () => client.call('GET /admin/api-keys', {}))

  function showKey(created: CreatedKey) {
    showOnce((close) => (
      <KeyDialog
        created={created}
        onClose={() => {
          close()
          void loaded.reload()
        }}
      />
    ))
  }
  return (
    <section class="keys" aria-labelledby="keys">
      <header class="page-head">
        <div>
          <h2 id="keys">{apps.keys}</h2>
          <p class="sentence">{apps.keysSentence}</p>
        </div>
        {changeable ? <Button class="outlined" onClick={() => setCreating(true)} label={apps.createKey} /> : null}
      </header>
      <WhenLoaded loaded={loaded}>
        {(keys) => (
          <KeyList
            keys={domainId === undefined ? keys : keys.filter(({ domain }) => domain === domainId)}
            {...(changeable && { onRevoke: setRevoked })}
          />
        )}
      </WhenLoaded>
      {creating ? <CreateKey domainId={domainId} onCreated={showKey} onClose={() => setCreating(false)} /> : null}
      {revoked ? <Revoke apiKey={revoked} reload={loaded.reload} onClose={() => setRevoked(undefined)} /> : null}
    </section>
  )
}

interface KeyListProps {
  readonly keys: readonly ApiKey[]
  readonly onRevoke?: (key: ApiKey) => void
}

function KeyList({ keys, onRevoke }: KeyListProps) {
  const words = useWords()
  const { apps } = words
  const { appOf, nameOf } = useKeyNames()
  if (keys.length === 0) {
    return (
      <div class="card">
        <p class="sentence">{apps.noKeys}</p>
      </div>
    )
  }
  const columns: readonly Column<ApiKey>[] = [
    {
      title: apps.key,
      cell: (key) => (
        <>
          <strong>{apps.keyRoles[key.role]}</strong>
          <small dir="ltr">{shortOf(key)}</small>
        </>
      ),
    },
    { title: apps.forApp, cell: (key) => <bdi>{appOf(key)}</bdi> },
    { title: words.lastUsed, cell: ({ usedAt }) => (usedAt === null ? words.never : <Time at={usedAt} />) },
    { title: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...(onRevoke
      ? [
          {
            title: apps.revoke,
            actions: true,
            cell: (key: ApiKey) => (
              <Button
                class="outlined danger"
                aria-label={apps.revokeOf(nameOf(key))}
                onClick={() => onRevoke(key)}
                label={apps.revoke}
              />
            ),
          },
        ]
      : []),
  ]
  return <DataList label={apps.keys} rows={keys} columns={columns} keyOf={({ id }) => id} />
}

interface RevokeProps {
  readonly apiKey: ApiKey
  readonly reload: () => Promise<void>
  readonly onClose: () => void
}

function Revoke({ apiKey, reload, onClose }: RevokeProps) {
  const { apps } = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const { nameOf } = useKeyNames()

  async function revoke() {
    await client.call('DELETE /admin/api-keys/:apiKeyId', { params: { apiKeyId: apiKey.id } })
    say(apps.keyRevoked(nameOf(apiKey)))
    await reload()
  }
  return (
    <Confirm title={apps.revokeTitle(nameOf(apiKey))} action={apps.revoke} onConfirm={revoke} onClose={onClose}>
      <p>{apps.revokeSentence}</p>
    </Confirm>
  )
}

/** Shortens an id as the command line does. */
const shortOf = ({ id }: ApiKey): string => id.slice(0, 8)

function useKeyNames() {
  const { apps } = useWords()
  const { domains } = useSignedIn().session
  const appOf = ({ domain }: ApiKey): string =>
    domain === null ? apps.allApps : printable(domains.find(({ id }) => id === domain)?.name ?? domain)
  return {
    appOf,
    /** Names a key by its id and its app. */
    nameOf: (key: ApiKey): string => isolated(`${shortOf(key)} (${appOf(key)})`),
  }
}
