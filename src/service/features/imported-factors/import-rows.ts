import { z } from 'zod'

import { NewUser, Username } from '../../../contract/users.ts'
import { maxListedRejections } from '../../../admin-contract/stock-limits.ts'
import type { ImportedUser, ImportRefusal } from '../../../contract/factor-import.ts'
import { SerialNumber } from '../../../contract/hardware.ts'
import type { CodeParameters } from '../../../contract/hardware.ts'
import { describeMistakes, validate } from '../../../contract/validate.ts'
import { importRows, inSmallSteps } from '../../engine/base/import-rows.ts'
import type { ImportOptions, ImportReport, Rejected, RowBatches } from '../../engine/base/import-rows.ts'
import type { Caller } from '../../engine/context/caller.ts'
import type { FactorRow, ReadFactors } from './files/factor-row.ts'
import { importUsers, previewImport } from './import-users.ts'
import type { ImportTarget } from './import-users.ts'
import { isShortSeed, onePerPerson, withoutSharedCodes } from './rules.ts'
import type { Keep } from './rules.ts'

interface FactorImportOptions extends ImportOptions {
  readonly keep?: Keep | undefined
}

/** How many apps of a file make codes of one kind. */
type Kind = CodeParameters & { readonly count: number }

export interface FactorImportReport extends Omit<ImportReport, 'present' | 'presentRows'> {
  /** The number of rows whose app is there already. */
  readonly unchanged: number
  /** The parameters of those that can be imported, the most frequent first. */
  readonly kinds: readonly Kind[]
  /** The number of those that do not say all of their parameters: the defaults of their source are taken. */
  readonly assumed: number
  /** The number of those with a seed of less than 128 bits. */
  readonly shortSeeds: number
  readonly recoveryCodes: number
  readonly recoveryCodesRefused: number
  /** The first of those that can be imported, as they will be. */
  readonly preview: readonly (CodeParameters & { readonly username: string; readonly recoveryCodes: number })[]
}

/** The number of people after which the database first analyzes its tables; then whenever there are four times as many. */
const firstAnalysis = 2_000

/** So many people are shown before they are imported. */
const previewed = 5

/**
 * Imports the factors of people from a file. All rows are checked first, and then stored in transactions of 100 people: if it ends early,
 * importing the file again completes it.
 */
export async function importFactorRows(
  call: Caller,
  target: ImportTarget,
  rows: RowBatches<FactorRow>,
  options: FactorImportOptions = {},
): Promise<FactorImportReport> {
  const all: FactorRow[] = []
  for await (const batch of rows) all.push(...batch)
  const summary = createSummary()
  let unchanged = 0
  const late: Rejected[] = []
  const {
    present: _users,
    presentRows: _tokens,
    ...report
  } = await importRows(
    {
      rows: [withoutSharedCodes(onePerPerson(all, options.keep))],
      async check(batch) {
        const checked = batch.map((row) => checkRow(row, target))
        const readable = checked.filter((row) => 'user' in row)
        const outcomes = await previewImport(
          call,
          target,
          readable.map(({ user }) => user),
        )
        const { accepted, rejected, present } = divide(readable, outcomes)
        unchanged += present
        accepted.forEach((row) => summary.add(row))
        return { accepted, rejected: [...checked.filter((row) => 'reason' in row), ...rejected] }
      },
      async importAll(accepted) {
        let [done, analyzeAt] = [0, firstAnalysis]
        for await (const batch of inSmallSteps([accepted])) {
          const outcomes = await importUsers(
            call,
            target,
            batch.map(({ user }) => user),
          )
          late.push(...divide(batch, outcomes).rejected)
          done += batch.length
          if (done >= analyzeAt) {
            await call.store.analyze()
            analyzeAt *= 4
          }
          options.progress?.(done, accepted.length)
        }
      },
    },
    options,
  )
  return {
    ...report,
    imported: report.imported - late.length,
    rejectedRows: report.rejectedRows + late.length,
    rejected: [...report.rejected, ...late].slice(0, maxListedRejections),
    unchanged,
    ...summary.report(),
  }
}

interface Checked {
  readonly line: number
  readonly row: ReadFactors
  readonly user: ImportedUser
}

const known = { username: Username, serialNumber: SerialNumber.optional() }

const KnownPerson = z.object(known)
const NewPerson = NewUser.partial({ name: true, email: true }).extend(known)

function checkRow(row: FactorRow, { addUsers }: ImportTarget): Checked | Rejected {
  if ('reason' in row) return row
  const { line, username, name, email, app, serialNumber, recovery } = row
  const validated = validate(addUsers ? NewPerson : KnownPerson, { username, name, email, serialNumber })
  if (!validated.success) return { line, reason: describeMistakes(validated.mistakes) }
  const user = { username, name, email, app, serialNumber, recovery: recovery && [...recovery] }
  return { line, row, user }
}

/** The rows by what becomes of them. */
function divide(rows: readonly Checked[], outcomes: Awaited<ReturnType<typeof previewImport>>) {
  const rejected: Rejected[] = []
  const accepted: Checked[] = []
  let present = 0
  for (const [index, row] of rows.entries()) {
    const outcome = outcomes[index]
    if (outcome?.outcome === 'stored') accepted.push(row)
    else if (outcome?.outcome === 'unchanged') present += 1
    else rejected.push({ line: row.line, reason: reasons[outcome?.reason ?? 'busy'] })
  }
  return { accepted, rejected, present }
}

const reasons: Readonly<Record<ImportRefusal, string>> = {
  unknown_user: 'the user is unknown; --add-users adds users',
  not_member: 'the user is not in the domain; --add-users adds users to it',
  enrolled: 'the user has or had another factor',
  reset: 'an administrator has removed the factors of the user, who enrolls again',
  repeated: 'the same person is in the file twice',
  serial_number: 'its serial number is there already',
  busy: 'the user is being added at the same time; try again',
}

function createSummary() {
  const kinds = new Map<string, Kind>()
  const preview: FactorImportReport['preview'][number][] = []
  const counts = { assumed: 0, shortSeeds: 0, recoveryCodes: 0, recoveryCodesRefused: 0 }
  return {
    add({ row }: Checked): void {
      const { username, app, recovery = [], recoveryRefused = 0, assumed } = row
      const { seed, ...parameters } = app
      const key = JSON.stringify([app.algorithm, app.digits, app.period])
      kinds.set(key, { ...parameters, count: (kinds.get(key)?.count ?? 0) + 1 })
      if (preview.length < previewed) preview.push({ username, ...parameters, recoveryCodes: recovery.length })
      if (assumed) counts.assumed += 1
      if (isShortSeed(seed)) counts.shortSeeds += 1
      counts.recoveryCodes += recovery.length
      counts.recoveryCodesRefused += recoveryRefused
    },
    report: () => ({
      ...counts,
      kinds: [...kinds.values()].toSorted((one, other) => other.count - one.count),
      preview,
    }),
  }
}
