import type { ImportRow } from '../../service/admin/hardware-import.ts'
import { Failure } from '../device/failure.ts'
import { decodeText } from './decode-text.ts'
import { readOathCsv } from './oath-csv.ts'
import { readPskc } from './pskc.ts'

/** More than 30,000 tokens in either format. */
export const importLimit = 16 * 1024 * 1024

/** The rows of a file of hardware tokens, whichever of the two formats it is in. */
export function readTokens(bytes: Buffer, key: Buffer | undefined): ImportRow[] {
  const text = decodeText(bytes, 'Save it as CSV in UTF-8, or as XML.')
  const isXml = text.trimStart().startsWith('<')
  if (!isXml && key) throw new Failure('Only PSKC files (XML) are opened with a key. Leave --key out.', 2)
  const rows = isXml ? readPskc(text, key) : readOathCsv(text)
  if (rows.length === 0) throw new Failure('There is no token in the file. Check that it is the right one.')
  return rows
}
