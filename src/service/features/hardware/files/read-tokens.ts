import type { ImportRow } from './import-row.ts'
import { nextTurn } from '../../../engine/base/next-turn.ts'
import { loadOptional } from '../../../engine/base/optional-package.ts'
import { parseCsv } from './csv.ts'
import { FileProblem } from './file-problem.ts'
import { textOf } from './file-text.ts'
import type { FileBytes } from './file-text.ts'
import { readOathCsv } from './oath-csv.ts'
import type { CsvSettings } from './oath-csv.ts'
import { readPskc } from './pskc.ts'
import type { Unlocking } from './pskc-secret.ts'
import { parseXml } from './xml.ts'

/** What a file does not say itself. */
export interface FileSettings extends CsvSettings, Unlocking {}

/**
 * Reads a file of hardware tokens in either format, as it arrives.
 * @throws {FileProblem} if the file as a whole cannot be read.
 * @throws {SetupError} if the package that reads XML is missing or too old.
 */
export async function* readTokens(file: FileBytes, settings: FileSettings = {}): AsyncGenerator<readonly ImportRow[]> {
  const { isXml, pieces } = await formatOf(textOf(file, 'Save it as CSV in UTF-8, or as XML.'))
  if (!isXml && (settings.key ?? settings.password) !== undefined)
    throw new FileProblem('A key or a password is for PSKC files (XML).', 'key_unused')
  const rows = isXml ? readPskc(parseXml(pieces, await loadSax()), settings) : readOathCsv(parseCsv(pieces), settings)
  let count = 0
  for await (const batch of rows) {
    count += batch.length
    yield batch
  }
  if (count === 0) throw new FileProblem('The file contains no tokens. Check that it is the right file.')
}

/** Tells the format by the first character that is not blank. @returns the text from its beginning on. */
async function formatOf(text: AsyncGenerator<string>): Promise<{ isXml: boolean; pieces: AsyncIterable<string> }> {
  const read: string[] = []
  let beginning = ''
  while (beginning === '') {
    const { value, done } = await text.next()
    if (done) break
    read.push(value)
    beginning = value.trimStart()
  }
  async function* pieces() {
    for (const piece of read) {
      yield piece
      await nextTurn()
    }
    yield* text
  }
  return { isXml: beginning.startsWith('<'), pieces: pieces() }
}

/** Only an import of PSKC needs this package, so it is an optional peer dependency. */
async function loadSax() {
  const sax = { name: 'sax', purpose: 'Importing PSKC', oldest: '1.4' }
  return (await loadOptional(sax, () => import('sax'))).default
}
