import type { ImportRow } from '../../service/admin/hardware-import.ts'
import { loadOptional } from '../../service/ground/optional-package.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { decodeText } from './csv.ts'
import { readOathCsv } from './oath-csv.ts'
import { readPskc } from './pskc.ts'
import { parseXml } from './xml.ts'

/** Enough for more than 30,000 tokens in either format, bytes. */
export const importLimit = 16 * 1024 * 1024

/** Reads a file of hardware tokens in either format. */
export async function readTokens(bytes: Buffer, key: Buffer | undefined): Promise<ImportRow[]> {
  const text = decodeText(bytes, 'Save it as CSV in UTF-8, or as XML.')
  const isXml = text.trimStart().startsWith('<')
  if (!isXml && key) throw new Failure('--key is for PSKC files (XML). Remove it.', exitCode.usage)
  const rows = isXml ? readPskc(parseXml(text, await loadSax()), key) : readOathCsv(text)
  if (rows.length === 0) throw new Failure('The file contains no tokens. Check that it is the right file.')
  return rows
}

/** Only an import of PSKC needs this package, so it is an optional peer dependency. */
async function loadSax() {
  const sax = { name: 'sax', purpose: 'Importing PSKC', oldest: '1.4' }
  const loaded = await loadOptional(sax, () => import('sax')).catch((cause: Error) => {
    throw new Failure(`${cause.message}.`, undefined, { cause })
  })
  return loaded.default
}
