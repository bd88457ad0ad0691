import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { csvRecord } from '../../src/service/engine/base/csv.ts'
import { hostileCells, separators } from '../support/spreadsheet.ts'

const isInstalled = !spawnSync('soffice', ['--version']).error

if (!isInstalled)
  process.stderr.write(
    'SKIPPED: exports in a real spreadsheet. Install LibreOffice: apt-get install libreoffice-calc\n',
  )

describe.runIf(isInstalled)('an export that LibreOffice opens', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-spreadsheet-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The formulas that LibreOffice finds in a file. */
  function formulasIn(text: string, separator: string): string[] {
    writeFileSync(join(folder, 'export.csv'), text)
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
    // The separator, the quote, UTF-8, and from the first line on.
    const filter = `--infilter=CSV:${separator.charCodeAt(0)},34,76,1`
    const out = ['--outdir', join(folder, 'out'), join(folder, 'export.csv')]
    execFileSync('soffice', [profile, '--headless', filter, '--convert-to', 'fods', ...out], { stdio: 'ignore' })
    return readFileSync(join(folder, 'out', 'export.fods'), 'utf8').match(/table:formula="[^"]*"/g) ?? []
  }

  it.each(separators.map((separator) => [JSON.stringify(separator), separator]))(
    'an export has no cell that LibreOffice calculates where %s separates',
    (_shown, separator) => {
      const plain = hostileCells.map((cell) => `"id","${cell.replaceAll('"', '""')}","last"\r\n`).join('')
      const written = hostileCells.map((cell) => csvRecord(['id', cell, 'last'])).join('')

      // This LibreOffice calculates the same cells if they are only quoted.
      expect(formulasIn(plain, separator)).not.toEqual([])
      expect(formulasIn(written, separator)).toEqual([])
    },
  )
})
