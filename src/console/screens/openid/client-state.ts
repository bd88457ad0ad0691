import { usesSecret } from '../../../admin-contract/oidc-client-rules.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { printable } from '../../../ground/printable.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useOpenIdWords } from './words.ts'

/** Whether a client cannot be used until it gets a secret. */
export const isWithoutSecret = ({ authentication, secret }: Pick<OidcClient, 'authentication' | 'secret'>): boolean =>
  usesSecret(authentication) && !secret

/** Names an app by the id of its domain. */
export function useAppName(): (domainId: string) => string {
  const { domains } = useSignedIn().session
  return (domainId) => printable(domains.find(({ id }) => id === domainId)?.name ?? domainId)
}

/** Names a kind of client. One of a newer service is named as the interface does. */
export function useKindName(): (kind: string) => string {
  const kinds: Readonly<Record<string, string>> = useOpenIdWords().kinds
  return (kind) => kinds[kind] ?? kind
}

/** Whether this version of the console knows the settings of a kind of client. */
export function useIsKnownKind(): (kind: string) => boolean {
  const { kinds } = useOpenIdWords()
  return (kind) => Object.hasOwn(kinds, kind)
}
