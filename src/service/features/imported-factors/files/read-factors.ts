import { nextTurn } from '../../../engine/base/next-turn.ts'
import { parseCsv } from '../../hardware/files/csv.ts'
import { FileProblem } from '../../hardware/files/file-problem.ts'
import { textOf } from '../../hardware/files/file-text.ts'
import type { FileBytes } from '../../hardware/files/file-text.ts'
import { opener } from './better-auth.ts'
import type { FactorRow } from './factor-row.ts'
import type { FieldSettings } from './fields.ts'
import { decryptFernet } from './fernet.ts'
import { jsonItems } from './json-items.ts'
import { membersOf, readKeycloak } from './keycloak.ts'
import { readPrivacyIdea, readPrivacyIdeaCsv } from './privacyidea.ts'
import type { CodeSettings } from './read-app.ts'
import { readFactorCsv } from './read-csv.ts'
import { objectReader } from './read-json.ts'
import { refuseByName, requirePlain } from './refuse-by-name.ts'
import { sources } from './sources.ts'
import type { SourceName } from './sources.ts'

/** What a file does not say itself. */
export interface FactorFileSettings extends FieldSettings, Omit<CodeSettings, 'open'> {
  /** Where the file comes from; absent: it is told by its beginning. */
  readonly from?: SourceName | undefined
  /** The secret of an app with better-auth, or the key of an export of privacyIDEA. */
  readonly secret?: string | undefined
}

/**
 * Reads the factors of people from a file of another system, as it arrives.
 * @throws {FileProblem} if the file as a whole cannot be read.
 */
export async function* readFactors(
  file: FileBytes,
  settings: FactorFileSettings = {},
): AsyncGenerator<readonly FactorRow[]> {
  const { beginning, pieces } = await peek(textOf(requirePlain(file), 'Save it as CSV or JSON in UTF-8.'))
  refuseByName(beginning)
  let count = 0
  for await (const batch of rowsOf(beginning, pieces, settings)) {
    count += batch.length
    yield batch
  }
  if (count === 0) throw new FileProblem('The file contains no factors. Check that it is the right file.')
}

function rowsOf(
  beginning: string,
  pieces: AsyncIterable<string>,
  settings: FactorFileSettings,
): AsyncGenerator<readonly FactorRow[]> {
  const { from, secret } = settings
  const codes = { ...settings, open: secret === undefined ? undefined : opener(secret) }
  if (isFernet.test(beginning)) {
    if (secret === undefined) throw new FileProblem('The export is encrypted. Set its key with --secret @FILE.')
    return readItems(jsonItems(decryptFernet(pieces, secret)), { ...codes, from: 'privacyidea' })
  }
  if (/^[[{]/.test(beginning)) return readItems(jsonItems(pieces, isRealm.test(beginning) ? 'users' : undefined), codes)
  if (from === 'keycloak') throw new FileProblem('An export of Keycloak is JSON. Export the users of the realm again.')
  if (from !== 'privacyidea') return readFactorCsv(parseCsv(pieces), sources[from ?? 'csv'], codes)
  return readPrivacyIdeaRows(parseCsv(pieces), codes)
}

/** Each begins with the version 0x80 and a time before the year 2106. */
const isFernet = /^gAAAA[A-Za-z0-9_-]{60}/

/** An export of a realm of Keycloak begins with its id and name. */
const isRealm = /^\{\s*(?:"id"\s*:\s*"[^"]{0,255}"\s*,\s*)?"realm"\s*:/

async function* readItems(
  batches: ReturnType<typeof jsonItems>,
  settings: FactorFileSettings & CodeSettings,
): AsyncGenerator<readonly FactorRow[]> {
  const readObject = objectReader(sources[settings.from ?? 'csv'], settings)
  for await (const items of batches) {
    yield items.flatMap((item) => {
      const members = membersOf(item.value)
      const source = settings.from ?? sourceOf(members)
      if (source === 'keycloak') return readKeycloak(item, settings)
      return source === 'privacyidea' ? readPrivacyIdea(item, settings) : readObject(item)
    })
  }
}

/** Tells exports of servers by members that no other format has. */
function sourceOf(members: Readonly<Record<string, unknown>>): SourceName | undefined {
  if ('otpkey' in members && 'info_list' in members) return 'privacyidea'
  return 'username' in members && ('credentials' in members || 'requiredActions' in members) ? 'keycloak' : undefined
}

async function* readPrivacyIdeaRows(
  records: ReturnType<typeof parseCsv>,
  settings: CodeSettings,
): AsyncGenerator<readonly FactorRow[]> {
  for await (const batch of records) yield batch.map((record) => readPrivacyIdeaCsv(record, settings))
}

/** Enough to tell every format, characters. */
const enough = 512

/** Reads the beginning of a text. @returns it, and the text from its beginning on. */
async function peek(text: AsyncGenerator<string>): Promise<{ beginning: string; pieces: AsyncIterable<string> }> {
  const read: string[] = []
  let beginning = ''
  while (beginning.length < enough) {
    const { value, done } = await text.next()
    if (done) break
    read.push(value)
    beginning = (beginning + value).trimStart()
  }
  async function* pieces() {
    for (const piece of read) {
      yield piece
      await nextTurn()
    }
    yield* text
  }
  return { beginning: beginning.slice(0, 8192), pieces: pieces() }
}
