import { FileProblem } from '../../hardware/files/file-problem.ts'
import type { FileBytes } from '../../hardware/files/file-text.ts'

const howToDecrypt = 'Decrypt it first: age -d FILE.'

/** Files that are told by their beginning, and what to do instead. */
const refused: readonly (readonly [beginning: RegExp, name: string, advice: string])[] = [
  [
    /^otpauth-migration:/i,
    'a transfer of Google Authenticator',
    'It is of one person, and holds the secrets of other sites.',
  ],
  [
    /^\{\s*"version"\s*:\s*\d+\s*,\s*"header"\s*:/,
    'a backup of Aegis',
    'It is of one person, and holds the secrets of other sites.',
  ],
  [
    /^\{\s*"(?:services|schemaVersion|servicesEncrypted|appVersionCode)"\s*:/,
    'a backup of 2FAS',
    'It is of one person, and holds the secrets of other sites.',
  ],
  [/^-----BEGIN AGE /, 'encrypted by age', howToDecrypt],
  [/^</, 'XML', 'Key packages (PSKC) name no users: read them with second-factor hardware import.'],
  [
    /^otpauth:/i,
    'a list of otpauth addresses without usernames',
    'Write them as CSV with the columns username and otpauth.',
  ],
  [/^(?:%YAML|---|- [\w"']+:)/, 'YAML', 'Export CSV or JSON instead; privacyIDEA: --format pi.'],
  [/^(?:INSERT|CREATE|COPY|BEGIN|PRAGMA|SET|--) /i, 'SQL', 'Export the table as CSV or JSON.'],
]

/** @throws {FileProblem} for a file of a known format that is not imported. The text is never quoted. */
export function refuseByName(beginning: string): void {
  const [, name, advice] = refused.find(([pattern]) => pattern.test(beginning)) ?? []
  if (name !== undefined) throw new FileProblem(`The file is ${name}, and is not imported. ${advice}`)
}

/** Passes the bytes of a file on. @throws {FileProblem} for a file of age, which is no text. */
export async function* requirePlain(file: FileBytes): AsyncGenerator<Uint8Array> {
  let beginning = ''
  for await (const bytes of file) {
    beginning += Buffer.from(bytes.subarray(0, magic.length - beginning.length)).toString('latin1')
    if (beginning === magic) throw new FileProblem(`The file is encrypted by age, and is not imported. ${howToDecrypt}`)
    yield bytes
  }
}

/** The beginning of a file of age (https://age-encryption.org/v1). */
const magic = 'age-encryption.org/'
