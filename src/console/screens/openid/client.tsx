import { useState } from 'preact/hooks'

import { usesSecret } from '../../../admin-contract/oidc-client-rules.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Page } from '../../parts/page.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { useToast } from '../../parts/toast.tsx'
import { openIdPlace } from '../../session/places.ts'
import { useLeadOn } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { UnknownScreen } from '../../parts/unknown.tsx'
import { ClientFacts } from './client-facts.tsx'
import { ClientForm } from './client-form.tsx'
import { useAppName, useIsKnownKind, useKindName } from './client-state.ts'
import { ClientSecret } from './client-secret.tsx'
import { openIdName } from './openid-name.ts'
import { ProviderAddresses } from './provider.tsx'
import type { ShownSecret } from './secret-dialog.tsx'
import { useOpenIdWords } from './words.ts'

interface ClientScreenProps {
  readonly id: string
  readonly domainId: string
  readonly onSecret: (secret: ShownSecret) => void
}

/** One client: what to enter there, its settings, and its secret. */
export function ClientScreen({ id, domainId, onSecret }: ClientScreenProps) {
  const words = useWords()
  const texts = useOpenIdWords()
  const { client, session } = useSignedIn()
  const appOf = useAppName()
  const kindName = useKindName()
  const loaded = useLoad(id, async () => {
    const [list, provider] = await Promise.all([
      client.call('GET /admin/domains/:domainId/oidc-clients', { params: { domainId } }),
      client.call('GET /admin/oidc-provider', {}),
    ])
    return { found: list.find((each) => each.id === id), issuer: provider.issuer }
  })
  const { value } = loaded
  const [saved, setSaved] = useState<OidcClient>()
  if (value && !value.found) return <UnknownScreen />
  const changeable = session.administrator.role !== 'auditor'
  const shown = newest(value?.found, saved)
  return (
    <Page
      title={shown ? printable(shown.name) : openIdName}
      {...(shown && { sentence: `${kindName(shown.kind)} · ${words.domain}: ${isolated(appOf(shown.domain))}` })}
      above={{ to: openIdPlace(), title: openIdName }}
    >
      <WhenLoaded loaded={loaded}>
        {({ issuer }) =>
          shown ? (
            <>
              <ProviderAddresses
                title={texts.provider.paste}
                issuer={issuer}
                more={[{ label: texts.clientId, text: shown.id }]}
                isEntra={shown.kind === 'entra'}
              />
              <ClientParts
                client={shown}
                changeable={changeable}
                reload={loaded.reload}
                onSaved={setSaved}
                onSecret={onSecret}
              />
            </>
          ) : null
        }
      </WhenLoaded>
    </Page>
  )
}

/** What was saved here may be newer than what was loaded, and the other way round. */
const newest = (loaded: OidcClient | undefined, saved: OidcClient | undefined): OidcClient | undefined =>
  loaded && saved && saved.version > loaded.version ? saved : loaded

interface ClientPartsProps {
  readonly client: OidcClient
  readonly changeable: boolean
  readonly reload: () => Promise<void>
  readonly onSaved: (client: OidcClient) => void
  readonly onSecret: (secret: ShownSecret) => void
}

function ClientParts({ client, changeable, reload, onSaved, onSecret }: ClientPartsProps) {
  const isKnown = useIsKnownKind()
  return (
    <>
      {usesSecret(client.authentication) ? (
        <ClientSecret client={client} changeable={changeable} reload={reload} onSecret={onSecret} />
      ) : null}
      {changeable && isKnown(client.kind) ? (
        <ClientForm client={client} onSaved={onSaved} />
      ) : (
        <ClientFacts client={client} />
      )}
      {changeable ? <RemoveClient client={client} /> : null}
    </>
  )
}

function RemoveClient({ client: { id, domain, name } }: Pick<ClientPartsProps, 'client'>) {
  const texts = useOpenIdWords().remove
  const { client } = useSignedIn()
  const leadOn = useLeadOn()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)

  async function remove() {
    await client.call('DELETE /admin/domains/:domainId/oidc-clients/:oidcClientId', {
      params: { domainId: domain, oidcClientId: id },
    })
    say(texts.done(isolated(name)))
    leadOn(openIdPlace(), true)
  }
  return (
    <section class="card">
      <h2>{texts.button}</h2>
      <p class="sentence">{texts.sentence}</p>
      <div class="buttons">
        <Button class="outlined danger" onClick={() => setAsking(true)} label={texts.button} />
      </div>
      {isAsking ? (
        <Confirm
          title={texts.title(isolated(name))}
          action={texts.button}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{texts.sentence}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
