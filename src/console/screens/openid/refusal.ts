import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import { ApiError } from '../../client/errors.ts'
import { ToldError } from '../../hooks/told-error.ts'
import { type Problems, refusedFields } from './draft.ts'
import type { Draft } from './fields.ts'
import { useOpenIdWords } from './words.ts'

/** What is told where the service refuses the settings of a client. Fields that it names are marked. */
export function useRefusal(kind: OidcClientKind) {
  const { problems: words } = useOpenIdWords()
  return (error: unknown, draft: Draft, onProblems: (problems: Problems) => void): unknown => {
    if (!(error instanceof ApiError) || !refusals.includes(error.code ?? '')) return error
    const names = refusedFields(kind, draft, error.detail)
    onProblems(Object.fromEntries(names.map((name) => [name, words.refused])))
    if (names.length > 0) return new ToldError(words.form, error)
    // The settings fit together: only the number of clients is left.
    return error.code === 'api.error.conflict.state' ? new ToldError(words.full, error) : error
  }
}

const refusals: readonly string[] = ['api.error.malformed', 'api.error.invalid.name', 'api.error.conflict.state']
