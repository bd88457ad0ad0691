import { readHeader } from './columns.ts'
import type { Header } from './columns.ts'
import type { ImportRow } from './import-row.ts'
import { algorithmNamed, counterIn, numberIn } from '../../../../ground/code-words.ts'
import type { CsvRecord } from './csv.ts'
import { FileProblem } from './file-problem.ts'
import { reject } from './rejections.ts'
import { hexSeed } from '../../../../ground/seed-encoding.ts'
import type { SeedEncoding } from '../../../../ground/seed-encoding.ts'
import { isYubico, refuseYubico, yubicoReason } from './yubico.ts'

/** The columns that files of tokens have. A seed in a column named `secret` may be in either encoding. */
export const names = {
  serial: ['serial', 'serialnumber', 'serialno', 'serialnr', 'sn', 'tokenserial', 'tokenserialnumber', 'tokenid'],
  seed: ['seed', 'hex', 'hexseed', 'seedhex', 'hexkey', 'keyhex', 'secrethex', 'hexsecret'],
  base32: ['secretkey', 'base32', 'base32seed', 'seedbase32', 'base32secret', 'secretbase32', 'base32key'],
  secret: ['secret', 'key', 'sharedsecret', 'otpkey', 'tokenkey', 'otpsecret', 'tokensecret'],
  type: ['type', 'otptype', 'tokentype'],
  digits: ['digits', 'otplen', 'otplength', 'otpdigits', 'length', 'codelength', 'codedigits', 'numberofdigits'],
  step: ['step', 'timestep', 'period', 'interval', 'timeinterval', 'otpperiod'],
  algorithm: [
    'algorithm',
    'algo',
    'hash',
    'hashlib',
    'hashalgorithm',
    'hashalgo',
    'hmac',
    'hmacalgorithm',
    'otpalgorithm',
  ],
  counter: ['counter', 'initialcounter', 'movingfactor', 'eventcounter'],
  alias: ['alias', 'label'],
} as const
type Column = keyof typeof names

/** Who has a token, what it looks like, and when it was bought. Every other name may say how the codes are made. */
const harmless =
  /upn|user|owner|person|name|mail|department|manufactur|maker|vendor|brand|model|product|descri|comment|note|remark|status|state|active|enabled|assigned|date|created|expir|batch|lot|order|invoice|location|site|room|group|realm|tenant|domain|organi[sz]ation|company|country|barcode|hersteller|modell|benutzer|bemerkung|datum|fabricant|utilisateur|remarque|^(?:id|no|nr|row|index|tag)$/
const decisive =
  /digit|length|otp|step|period|interval|second|time|algo|hash|hmac|sha\d|ocra|counter|drift|offset|window|skew|secret|seed|key|encod|base\d|hex|check|prefix|suffix|suite|mode(?!l)|clock|epoch|format|pin$|^pin/

/** Whether a column says nothing about codes. Spreadsheets add columns without a name. */
export const isHarmless = (name: string) => name === '' || (harmless.test(name) && !decisive.test(name))

const known = { names, isHarmless }

/** The columns of a file without a header. */
const defaultColumns = ['serial', 'seed', 'type', 'step'] as const satisfies readonly Column[]

export interface CsvSettings {
  /** How a column named `secret` is written. The names of the other columns of seeds say it. */
  readonly encoding?: SeedEncoding | undefined
  /** Called with the names of columns that are ignored. */
  readonly noteIgnored?: ((names: readonly string[]) => void) | undefined
}

/** Reads hardware tokens from CSV: `serial,seed,type,step` without a header, or the columns in the header. */
export async function* readOathCsv(
  records: AsyncIterable<readonly CsvRecord[]>,
  { encoding, noteIgnored }: CsvSettings = {},
): AsyncGenerator<readonly ImportRow[]> {
  let layout: Layout | undefined
  for await (const batch of records) {
    const header = layout ?? (batch[0] && readLayout(batch[0], encoding))
    if (!header) continue
    const rows = layout || !header.isInFile ? batch : batch.slice(1)
    if (!layout) noteIgnored?.(header.ignored)
    layout = header
    yield rows.map((record) => readRow(record, header))
  }
}

interface Layout extends Header<Column> {
  readonly seed: { readonly column: 'seed' | 'base32' | 'secret'; readonly encoding: SeedEncoding }
  /** Whether the first record of the file is the header. */
  readonly isInFile: boolean
}

const withoutHeader: Layout = {
  columns: defaultColumns,
  ignored: [],
  seed: { column: 'seed', encoding: 'hex' },
  isInFile: false,
}

/** What nobody takes for the name of a column: ten bytes and more in hexadecimal. */
const isSeed = (field: string) => /^(?:[0-9a-f]{2}){10,}$/i.test(field)

function readLayout(record: CsvRecord, encoding: SeedEncoding | undefined): Layout {
  refuseYubico(record)
  if (record.fields.some((field) => isSeed(field))) return withoutHeader
  // Its columns would be unknown, and those of the next lines would be taken for others.
  if (record.fault !== undefined) throw new FileProblem(`The first line has a mistake: ${record.fault}. Correct it.`)
  const header = readHeader(record, known)
  const has = (column: Column) => header?.columns.includes(column)
  const seeds = (['seed', 'base32', 'secret'] as const).filter((column) => has(column))
  const [column, another] = seeds
  if (!header || !column || !has('serial')) {
    throw new FileProblem(
      `The first line is no header with ${header ? 'both ' : ''}serial and seed, and has no seed in hexadecimal. Name the columns: serial, and seed (hexadecimal) or base32; then digits, step and algorithm.`,
    )
  }
  if (another) throw new FileProblem('The file has two columns of seeds. Remove one of them.')
  if (column === 'secret' && encoding === undefined) {
    throw new FileProblem(
      'The column of the seeds does not say how they are written. Name it seed if they are hexadecimal, or base32.',
      'encoding_missing',
    )
  }
  const named = { seed: 'hex', base32: 'base32', secret: encoding ?? 'hex' } as const
  return { ...header, seed: { column, encoding: named[column] }, isInFile: true }
}

function readRow({ line, fields, fault }: CsvRecord, { columns, seed, isInFile }: Layout): ImportRow {
  if (fault !== undefined) return reject(line, 'row', fault)
  if (fields.length !== columns.length) {
    return reject(line, 'row', `expected ${columns.length} fields, got ${fields.length}`)
  }
  const fieldOf = (column: Column) => fields[columns.indexOf(column)] ?? ''
  const type = fieldOf('type').toUpperCase()
  if (isYubico(type)) return reject(line, 'yubico', yubicoReason)
  if (type === '' && fieldOf('counter') !== '')
    return reject(line, 'row', 'it has a counter and no type: add the column type with TOTP or HOTP')
  const [, kind = '', typeDigits] = /^(?:OATH-)?([TH]OTP)(\d?)$/.exec(type) ?? []
  if (kind === '' && type !== '') return reject(line, 'unsupported', 'the type is not TOTP or HOTP')
  const isCounted = kind === 'HOTP'
  // Without a header, the last field is a time step by its place, and would be read as one if it is a counter.
  if (isCounted && !isInFile && fieldOf('step') !== '')
    return reject(line, 'row', 'HOTP has no time step: add a header, with the column counter')
  const algorithm = algorithmNamed(fieldOf('algorithm') || 'SHA1')
  if (!algorithm) return reject(line, 'unsupported', 'the hash is not SHA-1, SHA-256 or SHA-512')
  const hex = hexSeed(fieldOf(seed.column), seed.encoding)
  if (hex === undefined) {
    return reject(line, 'seed', `seed: is not ${seed.encoding === 'hex' ? 'hexadecimal' : 'Base32'}`)
  }
  const [ofType, ofDigits] = [typeDigits, fieldOf('digits')].map((text) => text && numberIn(text))
  if (ofType && ofDigits && ofType !== ofDigits) return reject(line, 'row', 'type and digits differ')
  const digits = ofDigits || ofType || 6
  const token = {
    serialNumber: fieldOf('serial'),
    seed: hex,
    algorithm,
    digits,
    ...(isCounted ? { counter: counterIn(fieldOf('counter')) } : { period: numberIn(fieldOf('step') || '30') }),
    ...(fieldOf('alias') !== '' && { alias: fieldOf('alias') }),
  }
  return { line, token }
}
