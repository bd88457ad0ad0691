import type { ImportRow } from '../admin/hardware-import.ts'
import { loadOptional } from '../ground/optional-package.ts'
import { decodeText } from './csv.ts'
import { FileProblem } from './file-problem.ts'
import { readOathCsv } from './oath-csv.ts'
import { readPskc } from './pskc.ts'
import { parseXml } from './xml.ts'

/**
 * Reads a file of hardware tokens in either format.
 * @throws {FileProblem} if the file as a whole cannot be read.
 * @throws {SetupError} if the package that reads XML is missing or too old.
 */
export async function readTokens(bytes: Buffer, key: Buffer | undefined): Promise<ImportRow[]> {
  const text = decodeText(bytes, 'Save it as CSV in UTF-8, or as XML.')
  const isXml = text.trimStart().startsWith('<')
  if (!isXml && key) throw new FileProblem('A key is for PSKC files (XML).', 'key_unused')
  const rows = isXml ? readPskc(await parseXml(text, await loadSax()), key) : readOathCsv(text)
  if (rows.length === 0) throw new FileProblem('The file contains no tokens. Check that it is the right file.')
  return rows
}

/** Only an import of PSKC needs this package, so it is an optional peer dependency. */
async function loadSax() {
  const sax = { name: 'sax', purpose: 'Importing PSKC', oldest: '1.4' }
  return (await loadOptional(sax, () => import('sax'))).default
}
