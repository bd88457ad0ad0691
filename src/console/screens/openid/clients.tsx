import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { printable } from '../../../ground/printable.ts'
import { Icon } from '../../../ui/icon.tsx'
import { key, plus, warning } from '../../../ui/icons.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { DomainChoice } from '../../parts/domain-choice.tsx'
import { ListBar } from '../../parts/list-bar.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { addOpenIdClientPlace, openIdClientPlace, openIdPlace } from '../../session/places.ts'
import { Link, useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { openIdName } from './openid-name.ts'
import { ProviderAddresses } from './provider.tsx'
import { SigningKeys } from './signing-keys.tsx'
import { isWithoutSecret, useAppName, useKindName } from './client-state.ts'
import { useOpenIdWords } from './words.ts'

interface ClientsScreenProps {
  /** The id of a domain; all of them by default. */
  readonly domain: string | undefined
}

/** Clients of the OpenID provider, its addresses, and its signing keys. */
export function ClientsScreen({ domain }: ClientsScreenProps) {
  const texts = useOpenIdWords()
  const { client, session } = useSignedIn()
  const { go } = useRouter()
  const { role } = session.administrator
  const provider = useLoad('provider', () => client.call('GET /admin/oidc-provider', {}))
  const clients = useLoad(`clients ${domain}`, () =>
    client.call('GET /admin/oidc-clients', { query: domain === undefined ? {} : { domain } }),
  )
  const actions =
    role === 'auditor' ? undefined : (
      <Link to={addOpenIdClientPlace()} class="button filled with-icon">
        <Icon path={plus} />
        {texts.add}
      </Link>
    )
  return (
    <Page title={openIdName} sentence={texts.sentence} actions={actions}>
      <WhenLoaded loaded={provider}>
        {({ issuer }) => <ProviderAddresses title={texts.provider.title} issuer={issuer} />}
      </WhenLoaded>
      {session.domains.length > 1 ? (
        <ListBar range={null}>
          <DomainChoice domain={domain} onChoose={(chosen) => go(openIdPlace(chosen))} />
        </ListBar>
      ) : null}
      <WhenLoaded loaded={clients}>{(list) => <ClientList clients={list} />}</WhenLoaded>
      {provider.value ? <SigningKeys provider={provider.value} reload={provider.reload} /> : null}
    </Page>
  )
}

function ClientList({ clients }: { readonly clients: readonly OidcClient[] }) {
  const words = useWords()
  const texts = useOpenIdWords()
  const appOf = useAppName()
  const kindName = useKindName()
  if (clients.length === 0) {
    return (
      <Empty icon={key}>
        <p>{texts.none}</p>
      </Empty>
    )
  }
  const columns: readonly Column<OidcClient>[] = [
    {
      title: words.name,
      cell: (client) => (
        <>
          <strong>
            <bdi>{printable(client.name)}</bdi>
          </strong>
          {isWithoutSecret(client) ? <Badge icon={warning} text={texts.noSecret} tone="danger" /> : null}
        </>
      ),
    },
    { title: texts.kind, cell: ({ kind }) => kindName(kind) },
    { title: words.domain, cell: ({ domain }) => <bdi>{appOf(domain)}</bdi> },
    { title: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
  return (
    <DataList
      label={texts.clients}
      rows={clients}
      columns={columns}
      keyOf={({ id }) => id}
      linkOf={(client) => openIdClientPlace(client)}
    />
  )
}
