import { NewHardwareToken, parametersOf, shownParameters } from '../../../contract/hardware.ts'
import { previewedTokens } from '../../../admin-contract/stock.ts'
import type { RejectionCode, StockReport } from '../../../admin-contract/stock.ts'
import { describeMistakes, validate } from '../../../contract/validate.ts'
import type { Mistake } from '../../../contract/validate.ts'
import { audit } from '../../engine/audit/audit.ts'
import { undecided } from '../../engine/context/within.ts'
import type { Transact } from '../../engine/context/within.ts'
import { defaultAlias } from './rules.ts'
import { newId } from '../../engine/base/random.ts'
import { insertHardwareTokens, presentSerialNumbers } from './statements.ts'
import type { ImportedTokenRow } from './statements.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { RefusalError } from '../../engine/base/errors.ts'
import { importRows, inSmallSteps } from '../../engine/base/import-rows.ts'
import type { ImportOptions, ImportReport, Rejected, RowBatches } from '../../engine/base/import-rows.ts'
import type { ImportRow } from './files/import-row.ts'

interface HardwareImportOptions extends ImportOptions {
  /** Opens the transaction in which the tokens are stored. */
  readonly transact?: Transact<Acting>
}

/** Imports hardware tokens by the rules of the REST interface, all in one transaction. */
export async function importHardwareTokens(
  ctx: Acting,
  organizationId: string,
  rows: RowBatches<ImportRow>,
  options: HardwareImportOptions = {},
): Promise<HardwareImportReport> {
  const check = createCheck()
  const preview: TokenPreview[] = []
  const report = await importRows(
    {
      rows,
      async check(batch) {
        const checked = await withoutPresent(ctx, organizationId, check(batch))
        const shown = checked.accepted.slice(0, previewedTokens - preview.length)
        preview.push(
          ...shown.map(({ token }) => ({
            serialNumber: token.serialNumber,
            ...shownParameters(parametersOf(token)),
          })),
        )
        return checked
      },
      importAll: (accepted) => insertAll(ctx, organizationId, accepted, options),
    },
    options,
  )
  return { ...report, preview }
}

/** A token as it will be stored. */
type TokenPreview = StockReport['preview'][number]

type HardwareImportReport = ImportReport & { readonly preview: readonly TokenPreview[] }

interface Accepted {
  readonly line: number
  readonly token: ReturnType<typeof NewHardwareToken.parse>
  readonly drift?: number
}

interface Checked {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
}

/** Checks the rows of one file, a serial number of which may be repeated in a later step. */
function createCheck(): (rows: readonly ImportRow[]) => Checked {
  const lines = new Map<string, number>()
  return (rows) => {
    const accepted: Accepted[] = []
    const rejected: Rejected[] = []
    for (const row of rows) {
      const checked = checkRow(row)
      if ('reason' in checked) {
        rejected.push(checked)
        continue
      }
      const { serialNumber } = checked.token
      const first = lines.get(serialNumber)
      if (first === undefined) {
        lines.set(serialNumber, row.line)
        accepted.push(checked)
      } else rejected.push({ line: row.line, code: 'repeated', reason: `line ${first} has the same serial number` })
    }
    return { accepted, rejected }
  }
}

function checkRow(row: ImportRow): Accepted | Rejected {
  if ('reason' in row) return row
  const { line, drift = 0 } = row
  const validated = validate(NewHardwareToken, row.token)
  if (!validated.success) {
    const { mistakes } = validated
    return { line, code: codeOf(mistakes[0]), reason: describeMistakes(mistakes) }
  }
  if (isDamaged(validated.data.serialNumber)) {
    const reason =
      'a spreadsheet has changed the serial number to a power of ten: format its column as text, and export again'
    return { line, code: 'serial', reason }
  }
  return { line, token: validated.data, drift }
}

/** Such as `2.60022E+12`: spreadsheets show long numbers so, and save what they show. */
const isDamaged = (serialNumber: string): boolean => /^\d(?:[.,]\d+)?E\+\d+$/i.test(serialNumber)

const codes: Readonly<Record<keyof NewHardwareToken, RejectionCode>> = {
  serialNumber: 'serial',
  seed: 'seed',
  type: 'type',
  timeStep: 'step',
  algorithm: 'unsupported',
  digits: 'type',
  period: 'step',
  counter: 'row',
  alias: 'alias',
}

const codeOf = ({ path: [field = ''] }: Mistake): RejectionCode =>
  (codes as Readonly<Record<PropertyKey, RejectionCode>>)[field] ?? 'row'

async function withoutPresent(ctx: Acting, organizationId: string, { accepted, rejected }: Checked): Promise<Checked> {
  const serialNumbers = accepted.map(({ token }) => token.serialNumber)
  const presentNumbers =
    serialNumbers.length > 0 && (await presentSerialNumbers(ctx.store.db, organizationId, serialNumbers))
  const presentSet = new Set(presentNumbers || [])
  const isTaken = ({ token }: Accepted) => presentSet.has(token.serialNumber)
  const rejections = accepted
    .filter((row) => isTaken(row))
    .map(({ line }) => ({ line, code: 'present', reason: 'its serial number is there already' }) as const)
  return { accepted: accepted.filter((row) => !isTaken(row)), rejected: [...rejected, ...rejections] }
}

async function insertAll(
  ctx: Acting,
  organizationId: string,
  rows: readonly Accepted[],
  { progress = () => {}, requireWaiting = () => {}, transact = undecided(ctx) }: HardwareImportOptions,
): Promise<void> {
  const createdAt = ctx.clock.now()
  // The seeds are sealed before the transaction, because other writers wait for it.
  const tokens: ImportedTokenRow[] = []
  for await (const batch of inSmallSteps([rows])) {
    tokens.push(...batch.map((row) => toRow(ctx, { organizationId, createdAt }, row)))
  }
  requireWaiting()
  await transact(async (inside) => {
    const { db } = inside.store
    let done = 0
    for await (const batch of inSmallSteps([tokens])) {
      if (!(await insertHardwareTokens(db, batch))) throw changedMeanwhile()
      done += batch.length
      progress(done, tokens.length)
    }
    await audit(db, inside, { event: 'hardware.imported', organizationId, facts: { count: tokens.length } })
  })
}

function toRow(
  ctx: Acting,
  common: { organizationId: string; createdAt: number },
  { token, drift = 0 }: Accepted,
): ImportedTokenRow {
  const id = newId(ctx.random)
  return {
    ...common,
    id,
    alias: token.alias ?? defaultAlias(id),
    serialNumber: token.serialNumber,
    seed: ctx.secrets.seal(token.seed.toLowerCase(), { kind: 'seed', id, userId: null }),
    ...parametersOf(token),
    drift,
  }
}

const changedMeanwhile = () =>
  new RefusalError('One of the tokens was added at the same time. Nothing was imported. Try again.')
