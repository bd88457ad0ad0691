import { FileProblem } from '../../hardware/files/file-problem.ts'
import type { Field } from './fields.ts'
import type { CodeSettings } from './read-app.ts'
import type { Source } from './sources.ts'

/** A secret is not guessed: some texts are valid in two encodings, and mean different bytes. @throws {FileProblem} */
export function requireEncoding(
  fields: readonly (Field | undefined)[],
  source: Source,
  { encoding, open }: CodeSettings,
): void {
  if (!fields.includes('secret')) return
  if (source.sealed && !open)
    throw new FileProblem('The secrets are encrypted. Set the secret of the app with --secret @FILE.')
  if (fields.includes('encoding') || (encoding ?? source.encoding) !== undefined) return
  throw new FileProblem(
    'The secrets do not say how they are written. Set where they come from with --from, or set --encoding, or name them base32 or hex.',
  )
}
