import { describe, expect, it, vi } from 'vitest'

import { parseCsv } from '../../../../../src/service/features/hardware/files/csv.ts'
import { FileProblem } from '../../../../../src/service/features/hardware/files/file-problem.ts'
import { readOathCsv as readRecords } from '../../../../../src/service/features/hardware/files/oath-csv.ts'
import type { CsvSettings } from '../../../../../src/service/features/hardware/files/oath-csv.ts'
import { readTokens } from '../../../../../src/service/features/hardware/files/read-tokens.ts'
import { all, pieces } from './pieces.ts'
import { inFullRun } from '../../../../support/full-run.ts'

const seed = '3132333435363738393031323334353637383930'
const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const token = (serialNumber: string, more: object = {}) => ({
  serialNumber,
  seed,
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  ...more,
})

const readOathCsv = (text: string, settings: CsvSettings = {}) => all(readRecords(parseCsv(pieces(text)), settings))

describe('OATH CSV', () => {
  it.each([
    ['without a header', `1,${seed},TOTP6,30`],
    ['with a header', `serial,seed,type,step\n1,${seed},TOTP6,30\n`],
    ['with CRLF', `serial,seed,type,step\r\n1,${seed},TOTP6,30\r\n`],
    ['with CR only', `serial,seed,type,step\r1,${seed},TOTP6,30\r`],
    ['with quotes', `"serial","seed","type","step"\n"1","${seed}","TOTP6","30"`],
    ['with spaces around', `serial , seed, type ,step\n 1 , ${seed} ,TOTP6 , 30 `],
    ['with empty lines', `\n\nserial,seed,type,step\n\n1,${seed},TOTP6,30\n\n,,,\n`],
    ['with other columns in another order', `Time Step,maker,TYPE,Serial Number,Seed\n30,Acme,totp6,1,${seed}`],
    ['without type and step', `serial,seed\n1,${seed}`],
    ['with a unit', `1,${seed},TOTP,30 s`],
    ['with columns without a name', `serial,seed,,\n1,${seed},,`],
    ['with semicolons', `serial;seed;type;step\n1;${seed};TOTP6;30`],
    ['with tabs', `serial\tseed\n1\t${seed}`],
    ['with a line that names the separator', `sep=;\r\nserial;seed\r\n1;${seed}`],
    ['with groups of digits', `serial,seed\n1,${seed.replaceAll(/.{4}/g, '$& ')}`],
    ['with a counter that is empty', `serial,seed,type,counter\n1,${seed},TOTP,`],
  ])('the OATH CSV reader accepts a file %s', async (_how, text) => {
    const rows = await readOathCsv(text)

    expect(rows).toEqual([{ line: expect.any(Number), token: token('1') }])
  })

  it('the OATH CSV reader keeps quotes, commas and line breaks inside quotes, and counts their lines', async () => {
    const rows = await readOathCsv(
      `serial,seed,type,step,alias\n1,${seed},TOTP8,60,"the ""big"",\nred one"\n2,${seed},TOTP6,30,\n`,
    )

    expect(rows).toEqual([
      { line: 2, token: token('1', { digits: 8, period: 60, alias: 'the "big",\nred one' }) },
      { line: 4, token: token('2') },
    ])
  })

  it('the OATH CSV reader takes the first line as a token when it does not name serial and seed', async () => {
    expect(await readOathCsv(`serial,${seed},TOTP6,30`)).toEqual([{ line: 1, token: token('serial') }])
  })

  it.each([
    ['too few fields', `1,${seed},TOTP6`, 'expected 4 fields, got 3'],
    ['too many fields', `1,${seed},TOTP6,30,x`, 'expected 4 fields, got 5'],
    ['another type', `1,${seed},OCRA,30`, 'the type is not TOTP or HOTP'],
    ['text after a quote', `"1"x,${seed},TOTP6,30`, 'text after a closing quote'],
    ['a quote in the middle', `1"x,${seed},TOTP6,30`, 'a quote in the middle of a field'],
    [
      'what is a counter or a time step of HOTP',
      `1,${seed},HOTP6,30`,
      'HOTP has no time step: add a header, with the column counter',
    ],
    ['Yubico OTP', `1,${seed},Yubico OTP,`, 'Yubico OTP is not supported: set the YubiKey up for OATH-HOTP'],
  ])('the OATH CSV reader rejects a row with %s, without printing its seed', async (_what, text, reason) => {
    const rows = await readOathCsv(text)

    expect(rows).toEqual([{ line: 1, code: expect.any(String), reason: expect.stringContaining(reason) }])
    expect(JSON.stringify(rows)).not.toContain(seed)
  })

  it.each([
    ['digits', '8', { digits: 8 }],
    ['otplen', '7', { digits: 7 }],
    ['Number of digits', '8 digits', { digits: 8 }],
    ['period', '45', { period: 45 }],
    ['time interval', '60', { period: 60 }],
    ['algorithm', 'SHA256', { algorithm: 'SHA256' }],
    ['hash', 'HMAC-SHA-512', { algorithm: 'SHA512' }],
    ['hashlib', 'sha1', { algorithm: 'SHA1' }],
    ['digits', '', {}],
    ['digits', 'eight', { digits: 'eight' }],
    ['type', 'TOTP7', { digits: 7 }],
    ['type', 'totp', {}],
  ])('the OATH CSV reader understands the column %j with %j', async (column, value, parameters) => {
    const rows = await readOathCsv(`serial,seed,${column}\n1,${seed},${value}`)

    expect(rows).toEqual([{ line: 2, token: token('1', parameters) }])
  })

  it.each(['algorithm,MD5', 'hash,SHA384'])(
    'the OATH CSV reader rejects a row whose hash is other: %s',
    async (more) => {
      const [column, value] = more.split(',')

      expect(await readOathCsv(`serial,seed,${column}\n1,${seed},${value}`)).toEqual([
        { line: 2, code: 'unsupported', reason: 'the hash is not SHA-1, SHA-256 or SHA-512' },
      ])
    },
  )

  it.each([
    ['secret key', base32, {}],
    ['base32', `${base32.toLowerCase()}====`, {}],
    ['secret', base32, { encoding: 'base32' }],
    ['secret', seed, { encoding: 'hex' }],
    ['hex', `0x${seed}`, {}],
  ] as const)(
    'the OATH CSV reader reads the seeds of the column %j as it names them',
    async (column, value, settings) => {
      expect(await readOathCsv(`serial,${column}\n1,${value}`, settings)).toEqual([{ line: 2, token: token('1') }])
    },
  )

  it.each([
    ['seed', base32, 'seed: is not hexadecimal'],
    ['base32', seed, 'seed: is not Base32'],
    // Two characters of the seed are missing, which leaves no number of bytes.
    ['base32', base32.slice(1, -1), 'seed: is not Base32'],
  ])('the OATH CSV reader rejects a seed in the column %j that is %s', async (column, value, reason) => {
    expect(await readOathCsv(`serial,${column}\n1,${value}`)).toEqual([{ line: 2, code: 'seed', reason }])
  })

  it('the OATH CSV reader rejects a row whose type and digits differ, and one with a counter and no type', async () => {
    expect(await readOathCsv(`serial,seed,type,digits\n1,${seed},TOTP6,8`)).toEqual([
      { line: 2, code: 'row', reason: 'type and digits differ' },
    ])
    expect(await readOathCsv(`serial,seed,counter,step\n1,${seed},0,30`)).toEqual([
      { line: 2, code: 'row', reason: 'it has a counter and no type: add the column type with TOTP or HOTP' },
    ])
  })

  it.each([
    [`1,${seed},HOTP6,`, 1, 0],
    [`serial,seed,type\n1,${seed},HOTP`, 2, 0],
    [`serial,seed,type,counter\n1,${seed},hotp,`, 2, 0],
    [`serial,seed,type,Moving Factor\n1,${seed},OATH-HOTP,1234567`, 2, 1_234_567],
    [`serial,seed,type,counter,step\n1,${seed},HOTP,4294967295,30`, 2, 4_294_967_295],
    [`serial,seed,type,counter\n1,${seed},HOTP,-1`, 2, '-1'],
  ])('the OATH CSV reader reads a counter-based token with its next counter: %j', async (text, line, counter) => {
    const { period: _none, ...counted } = token('1')

    expect(await readOathCsv(text)).toEqual([{ line, token: { ...counted, counter } }])
  })

  it.each([
    [
      'log',
      `LOGGING START,11/28/2026 10:00\nYubico OTP,11/28/2026 10:01,1,vvbtbtndhtlr,0a1b2c3d4e5f,${'5a'.repeat(16)},,,0`,
    ],
    ['log without its beginning', `Yubico OTP,11/28/2026 10:01,1,vvbtbtndhtlr,0a1b2c3d4e5f,${'5a'.repeat(16)},,,0`],
    ['list for a validation server', `# ykksm 1\n1,vvbtbtndhtlr,0a1b2c3d4e5f,${'5a'.repeat(16)},,2026-11-28T10:00:00,`],
    ['list without a header', `1,vvbtbtndhtlr,0a1b2c3d4e5f,${'5a'.repeat(16)},,2026-11-28T10:00:00,`],
    ['list with a header', `serial,public id,private id,aes key\n1,vvbtbtndhtlr,0a1b2c3d4e5f,${'5a'.repeat(16)}`],
  ])('the OATH CSV reader refuses a %s of Yubico OTP by name, and quotes nothing', async (_what, text) => {
    const error = await readOathCsv(text).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(FileProblem)
    expect(String(error)).toContain('YubiKeys with Yubico OTP, which is not supported')
    expect(String(error)).not.toContain('5a5a')
  })

  it('the OATH CSV reader does not guess how a column named secret is written', async () => {
    const both = 'ABCDEF234567ABCDEF234567ABCDEF23'

    await expect(readOathCsv(`serial,secret\n1,${both}`)).rejects.toThrow('does not say how they are written')
  })

  it.each([
    'otp_mode',
    'Token length',
    'drift',
    'Clock offset',
    'hash function',
    'encoding',
    'PIN',
    'checksum digit',
    'codeformat_hex',
    'ocraSuite',
    'time step unit',
    'seconds',
    'time',
    'validity',
    'sha',
    'crypto',
    'hash name',
    'URI',
    'Ziffern',
    'période',
    'anything else',
  ])('the OATH CSV reader stops at the column %j, which could change the codes', async (column) => {
    await expect(readOathCsv(`serial,seed,${column}\n1,${seed},1`)).rejects.toThrow(
      `The column "${column}" may change the codes`,
    )
  })

  it('the OATH CSV reader ignores other columns, and names them', async () => {
    const noteIgnored = vi.fn<(names: readonly string[]) => void>()

    const rows = await readOathCsv(
      `upn,serial number,secret key,time interval,manufacturer,model\na@example.com,1,${base32},30,Acme,K1`,
      { noteIgnored },
    )

    expect(rows).toEqual([{ line: 2, token: token('1') }])
    expect(noteIgnored.mock.calls).toEqual([[['"upn"', '"manufacturer"', '"model"']]])
  })

  it.each([
    [
      'two columns of one meaning',
      `serial,seed,digits,otplen\n1,${seed},6,8`,
      'The columns "digits" and "otplen" mean the same',
    ],
    ['two columns of seeds', `serial,seed,base32\n1,${seed},${base32}`, 'two columns of seeds'],
    ['a header without a serial number', `seed,digits\n${seed},6`, 'no header with both serial and seed'],
    ['a header without a seed', 'serial,digits\n1,6', 'no header with both serial and seed'],
    ['a header of unknown names', `Nummer,Wert\n1,${seed}`, 'The first line is no header'],
    ['a seed in Base32 without a header', `1,${base32},TOTP6,30`, 'The first line is no header'],
    ['a seed in lower case', `1,${base32.toLowerCase()},TOTP6,30`, 'The first line is no header'],
    ['a seed beside a known name', `serial,${base32.toLowerCase()},TOTP6,30`, 'The column 2 may change the codes'],
    ['a seed in groups', `1,${base32.replaceAll(/.{4}/g, '$& ')},TOTP6,30`, 'The first line is no header'],
    ['quotes that are not closed', `serial,seed,model "x"\n1,${seed},K`, 'The first line has a mistake'],
    ['other separators', `1|${seed}|TOTP6|30`, 'The first line is no header'],
    ['a directory', `dn: cn=alice\nserial: 1`, 'The file is LDIF'],
    ['JSON', `[{"serial": 1}]`, 'The file is JSON'],
  ])('the OATH CSV reader stops at %s, and says what it found without any seed', async (_what, text, message) => {
    const error = await readOathCsv(text).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(FileProblem)
    expect(String(error)).toContain(message)
    expect(String(error)).not.toMatch(new RegExp(`${seed}|${base32}|GEZD`, 'i'))
  })

  it('a file in UTF-16 with a byte order mark is read, and one without is refused by name', async () => {
    const text = `\ufeffserial,seed\n1,${seed}\n`
    const little = Buffer.from(text, 'utf16le')

    expect(await all(readTokens([little]))).toEqual([{ line: 2, token: token('1') }])
    expect(await all(readTokens([Buffer.from(little).swap16()]))).toEqual([{ line: 2, token: token('1') }])
    await expect(all(readTokens([little.subarray(2)]))).rejects.toThrow('UTF-16 without a byte order mark')
    await expect(all(readTokens([Buffer.from('PK\u0003\u0004')]))).rejects.toThrow('spreadsheet')
  })

  it('the OATH CSV reader continues after an invalid row', async () => {
    const rows = await readOathCsv(`1"x,${seed},TOTP6,30\n2,${seed},TOTP6,30`)

    expect(rows).toMatchObject([
      { line: 1, code: 'row', reason: expect.any(String) },
      { line: 2, token: token('2') },
    ])
  })

  inFullRun.each([
    ['commas', ','],
    ['quotes', '"'],
    ['pairs of quotes', '""'],
    ['fields of one quote', '",'],
    ['lines', '\n'],
    ['letters', 'a'],
    ['blanks', `${' '.repeat(15_000)}\n`],
    ['padding', `1,${'='.repeat(15_000)}A\n`],
  ])('the OATH CSV reader takes time in proportion for a file of nothing but %s', async (_what, part) => {
    const file = [Buffer.from(`serial,base32\n${part.repeat(2_000_000 / part.length)}`), Buffer.from('')]
    // Of the processor, which others may have in between; microseconds.
    const before = process.threadCpuUsage()

    const read = await all(readTokens(file)).catch((error: unknown) => error)

    const { user, system } = process.threadCpuUsage(before)
    expect(Array.isArray(read) || read instanceof FileProblem).toBe(true)
    expect(user + system).toBeLessThan(5_000_000)
  })
})
