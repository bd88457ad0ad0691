import { describe, expect, it } from 'vitest'

import { parseCsv } from '../../../../../src/service/features/hardware/files/csv.ts'
import { FileProblem } from '../../../../../src/service/features/hardware/files/file-problem.ts'
import { readOathCsv as readRecords } from '../../../../../src/service/features/hardware/files/oath-csv.ts'
import { readTokens } from '../../../../../src/service/features/hardware/files/read-tokens.ts'
import { all, pieces } from './pieces.ts'

const seed = '3132333435363738393031323334353637383930'
const token = (serialNumber: string, more: object = {}) => ({
  serialNumber,
  seed,
  type: 'TOTP6',
  timeStep: '30',
  ...more,
})

const readOathCsv = (text: string) => all(readRecords(parseCsv(pieces(text))))

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
  ])('the OATH CSV reader accepts a file %s', async (_how, text) => {
    const rows = await readOathCsv(text)

    expect(rows).toEqual([{ line: expect.any(Number), token: token('1') }])
  })

  it('the OATH CSV reader keeps quotes, commas and line breaks inside quotes, and counts their lines', async () => {
    const rows = await readOathCsv(
      `serial,seed,type,step,alias\n1,${seed},TOTP8,60,"the ""big"",\nred one"\n2,${seed},TOTP6,30,\n`,
    )

    expect(rows).toEqual([
      { line: 2, token: token('1', { type: 'TOTP8', timeStep: '60', alias: 'the "big",\nred one' }) },
      { line: 4, token: token('2') },
    ])
  })

  it('the OATH CSV reader takes the first line as a token when it does not name serial and seed', async () => {
    expect(await readOathCsv(`serial,${seed},TOTP6,30`)).toEqual([{ line: 1, token: token('serial') }])
  })

  it.each([
    ['too few fields', `1,${seed},TOTP6`, 'expected 4 fields, got 3'],
    ['too many fields', `1,${seed},TOTP6,30,x`, 'expected 4 fields, got 5'],
    ['semicolons', `1;${seed};TOTP6;30`, 'expected 4 fields, got 1'],
    ['a quote that is not closed', `"1,${seed},TOTP6,30\n2,${seed},TOTP6,30`, 'a quote is not closed'],
    ['text after a quote', `"1"x,${seed},TOTP6,30`, 'text after a closing quote'],
    ['a quote in the middle', `1"x,${seed},TOTP6,30`, 'a quote in the middle of a field'],
    [
      'counter-based tokens',
      `1,${seed},HOTP6,30`,
      'counter-based tokens (HOTP) are not supported, only time-based tokens (TOTP)',
    ],
  ])('the OATH CSV reader rejects a row with %s, without printing its seed', async (_what, text, reason) => {
    const rows = await readOathCsv(text)

    expect(rows).toEqual([{ line: 1, code: expect.any(String), reason }])
    expect(JSON.stringify(rows)).not.toContain(seed)
  })

  it('the OATH CSV reader continues after an invalid row', async () => {
    const rows = await readOathCsv(`1"x,${seed},TOTP6,30\n2,${seed},TOTP6,30`)

    expect(rows).toMatchObject([
      { line: 1, code: 'row', reason: expect.any(String) },
      { line: 2, token: token('2') },
    ])
  })

  it.each([
    ['commas', ','],
    ['quotes', '"'],
    ['pairs of quotes', '""'],
    ['fields of one quote', '",'],
    ['lines', '\n'],
    ['letters', 'a'],
  ])('the OATH CSV reader takes time in proportion for a file of nothing but %s', async (_what, part) => {
    const file = [Buffer.from(part.repeat(2_000_000 / part.length))]
    // Of the processor, which others may have in between; microseconds.
    const before = process.threadCpuUsage()

    const read = await all(readTokens(file, undefined)).catch((error: unknown) => error)

    const { user, system } = process.threadCpuUsage(before)
    expect(Array.isArray(read) || read instanceof FileProblem).toBe(true)
    expect(user + system).toBeLessThan(5_000_000)
  })
})
