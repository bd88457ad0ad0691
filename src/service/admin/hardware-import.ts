import { NewHardwareToken } from '../../contract/hardware.ts'
import type { RejectionCode } from '../../contract/admin/stock.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import type { Mistake } from '../../contract/validate.ts'
import { audit } from '../audit/audit.ts'
import { nextTurn } from '../ground/next-turn.ts'
import { defaultAlias, digitsOf } from '../rules/hardware-token.ts'
import { newId } from '../rules/random.ts'
import { importBatch, insertHardwareTokens, presentSerialNumbers } from '../store/hardware.ts'
import type { NewHardwareTokenRow } from '../store/hardware.ts'
import { requireStillAllowed } from './acting.ts'
import type { Acting } from './acting.ts'
import { RefusalError } from './errors.ts'
import { importAccepted } from './import-rows.ts'
import type { ImportOptions, ImportReport, Rejected } from './import-rows.ts'

/** A row of an import file: a token in the form of the contract, not yet validated, or the reason why it could not be read. */
export type ImportRow = { readonly line: number } & ({ readonly token: unknown } | Omit<Rejected, 'line'>)

/** Imports hardware tokens by the rules of the REST interface, all in one transaction. */
export async function importHardwareTokens(
  ctx: Acting,
  organizationId: string,
  rows: readonly ImportRow[],
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { progress = () => {} } = options
  const checked = await checkRows(rows)
  const { accepted, taken } = await withoutPresent(ctx, organizationId, checked.accepted, (done) =>
    progress(done, 2 * rows.length),
  )
  return importAccepted({ accepted, rejected: [...checked.rejected, ...taken] }, options, async () => {
    await insertAll(ctx, organizationId, accepted, (done) => progress(rows.length + done, 2 * rows.length))
    progress(2 * rows.length, 2 * rows.length)
  })
}

interface Accepted {
  readonly line: number
  readonly token: ReturnType<typeof NewHardwareToken.parse>
}

async function checkRows(rows: readonly ImportRow[]): Promise<{ accepted: Accepted[]; rejected: Rejected[] }> {
  const accepted: Accepted[] = []
  const rejected: Rejected[] = []
  const lines = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    if (index % importBatch === importBatch - 1) await nextTurn()
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

function checkRow(row: ImportRow): Accepted | Rejected {
  if ('reason' in row) return row
  const validated = validate(NewHardwareToken, row.token)
  if (validated.success) return { line: row.line, token: validated.data }
  const { mistakes } = validated
  return { line: row.line, code: codeOf(mistakes[0]), reason: describeMistakes(mistakes) }
}

const codes: Readonly<Record<keyof NewHardwareToken, RejectionCode>> = {
  serialNumber: 'serial',
  seed: 'seed',
  type: 'type',
  timeStep: 'step',
  alias: 'alias',
}

const codeOf = ({ path: [field = ''] }: Mistake): RejectionCode =>
  (codes as Readonly<Record<PropertyKey, RejectionCode>>)[field] ?? 'row'

async function withoutPresent(
  ctx: Acting,
  organizationId: string,
  rows: readonly Accepted[],
  progress: (done: number) => void,
): Promise<{ accepted: Accepted[]; taken: Rejected[] }> {
  const present = new Set<string>()
  for (const [batch, done] of batches(rows)) {
    const serialNumbers = batch.map(({ token }) => token.serialNumber)
    for (const one of await presentSerialNumbers(ctx.store.db, organizationId, serialNumbers)) present.add(one)
    progress(done)
  }
  const isTaken = ({ token }: Accepted) => present.has(token.serialNumber)
  return {
    accepted: rows.filter((row) => !isTaken(row)),
    taken: rows
      .filter((row) => isTaken(row))
      .map(({ line }) => ({ line, code: 'present', reason: 'its serial number is there already' }) as const),
  }
}

async function insertAll(
  ctx: Acting,
  organizationId: string,
  rows: readonly Accepted[],
  progress: (done: number) => void,
): Promise<void> {
  const createdAt = ctx.clock.now()
  // Before the transaction, because other writers wait for it.
  const tokens: NewHardwareTokenRow[] = []
  for (const [batch] of batches(rows)) {
    tokens.push(...batch.map(({ token }) => toRow(ctx, { organizationId, createdAt }, token)))
    await nextTurn()
  }
  await ctx.store.db.transaction().execute(async (db) => {
    await requireStillAllowed(db, ctx)
    for (const [batch, done] of batches(tokens)) {
      if (!(await insertHardwareTokens(db, batch))) throw changedMeanwhile()
      progress(done)
    }
    await audit(db, ctx, { event: 'hardware.imported', organizationId, facts: { count: tokens.length } })
  })
}

function toRow(
  ctx: Acting,
  common: { organizationId: string; createdAt: number },
  token: Accepted['token'],
): NewHardwareTokenRow {
  const id = newId(ctx.random)
  return {
    ...common,
    id,
    alias: token.alias ?? defaultAlias(id),
    serialNumber: token.serialNumber,
    seed: ctx.secrets.seal(token.seed.toLowerCase(), { kind: 'seed', id, userId: null }),
    digits: digitsOf(token.type),
    period: token.timeStep,
  }
}

const changedMeanwhile = () =>
  new RefusalError('One of the tokens was added at the same time. Nothing was imported. Try again.')

function* batches<T>(rows: readonly T[]): Generator<[T[], number]> {
  for (let start = 0; start < rows.length; start += importBatch) {
    const batch = rows.slice(start, start + importBatch)
    yield [batch, start + batch.length]
  }
}
