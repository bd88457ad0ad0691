import { Icon } from '../../../ui/icon.tsx'
import { warning } from '../../../ui/icons.ts'
import { type CopiedFact, CopiedFacts } from './copied-facts.tsx'
import { useOpenIdWords } from './words.ts'

interface ProviderAddressesProps {
  readonly title: string
  /** Null while the service is no provider, which is then said. */
  readonly issuer: string | null
  /** Values of the client besides. */
  readonly more?: readonly CopiedFact[]
  /** Whether the client is a tenant of Microsoft Entra. */
  readonly isEntra?: boolean
}

/** What administrators enter in a client: where the provider is, and what the client is called there. */
export function ProviderAddresses({ title, issuer, more = [], isEntra = false }: ProviderAddressesProps) {
  const { provider } = useOpenIdWords()
  const addresses = issuer === null ? [] : addressesOf(issuer, isEntra, provider)
  return (
    <>
      {issuer === null ? (
        <div class="notice-bar">
          <Icon path={warning} />
          <p>{provider.off}</p>
        </div>
      ) : null}
      {addresses.length + more.length > 0 ? (
        <section class="card" aria-labelledby="provider">
          <h2 id="provider">{title}</h2>
          <CopiedFacts facts={[...more, ...addresses]} />
        </section>
      ) : null}
    </>
  )
}

type ProviderWords = ReturnType<typeof useOpenIdWords>['provider']

function addressesOf(issuer: string, isEntra: boolean, words: ProviderWords): readonly CopiedFact[] {
  return [
    { label: words.issuer, text: issuer },
    // OpenID Connect Discovery 1.0 section 4.
    { label: words.discovery, text: `${issuer}/.well-known/openid-configuration` },
    ...(isEntra ? [{ label: words.registration, text: `${issuer}/oidc/authorize` }] : []),
  ]
}
