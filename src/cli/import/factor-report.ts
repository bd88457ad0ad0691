import type { CodeParameters } from '../../contract/hardware.ts'
import type { FactorImportReport } from '../../service/features/imported-factors/import-rows.ts'
import { codesText } from '../admin/codes-text.ts'
import { counted, printTable } from '../terminal/print.ts'

/** Prints what a file contains, and in a dry run the first people as they will be. */
export function printFactors(report: FactorImportReport, dryRun: boolean): void {
  const { kinds, preview, unchanged, recoveryCodes, recoveryCodesRefused, shortSeeds, assumed } = report
  if (dryRun) {
    printTable(
      ['Apps', 'Codes'],
      kinds.map((kind) => [String(kind.count), kindText(kind)]),
      '',
    )
    printTable(
      ['Username', 'Codes', 'Recovery codes'],
      preview.map((row) => [row.username, kindText(row), String(row.recoveryCodes)]),
      '',
    )
  }
  const lines: readonly [count: number, text: string][] = [
    [recoveryCodes, `${counted(recoveryCodes, 'recovery code')} of these people.`],
    [
      recoveryCodesRefused,
      `${counted(recoveryCodesRefused, 'recovery code')} can't be imported, such as those hashed by bcrypt or scrypt: people make new codes after signing in.`,
    ],
    [shortSeeds, `${counted(shortSeeds, 'seed')} shorter than 128 bits.`],
    [
      assumed,
      `${counted(assumed, 'app')} with defaults that the file doesn't say: 6 digits, 30 s, SHA1. --digits, --period and --algorithm change them.`,
    ],
    [unchanged, `${counted(unchanged, 'app')} here already, which stay as they are.`],
  ]
  for (const [count, text] of lines) if (count > 0) console.log(text)
}

const kindText = (parameters: CodeParameters) => `TOTP ${codesText(parameters)}`
