import type { ImportedCode, ImportedFactors } from '../../../contract/imported-factors.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import { newIdOfTime } from '../../engine/base/random.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { bypassCodeText } from '../../engine/secrets/secrets.ts'
import { importedForm } from '../bypass-codes/imported.ts'
import { endOfTime } from '../bypass-codes/rules.ts'
import { insertBypassCode, insertBypassCodes } from '../bypass-codes/statements.ts'
import { enrollAllImported, enrollUser } from '../factors/enrollment.ts'
import { appAlias, appSerialNumber, defaultAlias } from '../hardware/rules.ts'
import { insertHardwareToken, insertHardwareTokens } from '../hardware/statements.ts'
import { closeImport, noteCodes, noteImportedCodes } from '../users/enrollment.ts'

type Context = Pick<ServiceContext, 'clock' | 'random' | 'secrets'> & AuditContext

/** The user whose factors are stored, in the domain for which they are. */
export interface ImportedMember {
  readonly organizationId: string
  readonly domainId: string
  readonly userId: string
}

/** A user with factors. With a serial number, the app is a hardware token: it stays in the organization when the user leaves. */
export type ImportedPerson = ImportedFactors & { readonly userId: string; readonly serialNumber?: string | undefined }

/**
 * Stores what a user passes the second step with in another system, as the first factors the user ever has here. In a transaction
 * that has locked the user, and has seen that nothing else forbids it.
 *
 * @returns the id of the app; undefined where the user has or had a factor already: then nothing is stored.
 */
export async function storeImported(
  db: Queryable,
  ctx: Context,
  { userId, ...place }: ImportedMember,
  factors: ImportedFactors,
): Promise<string | undefined> {
  const person = { ...factors, userId }
  if (!(await enroll(db, ctx, place, person))) return undefined
  const [app, codes] = [appRow(ctx, place, person), codeRows(ctx, person)]
  await insertHardwareToken(db, app)
  for (const code of codes) await insertBypassCode(db, code)
  await auditImported(db, ctx, place, [{ userId, hardware: app.id, count: codes.length }])
  return app.id
}

type Place = Omit<ImportedMember, 'userId'>

/**
 * Stores those of several users, 100 at most: one statement for all apps is several times faster than one for each, because the
 * search index is prepared with it.
 *
 * @returns the ids of those for whom they were stored.
 * @throws {ApiProblem} where another hardware token has a serial number of them.
 */
export async function storeAllImported(
  db: Queryable,
  ctx: Context,
  place: Place,
  people: readonly ImportedPerson[],
): Promise<ReadonlySet<string>> {
  const userIds = people.map(({ userId }) => userId)
  const enrolled = await enrollAllImported(db, ctx, userIds, place)
  if (enrolled.size === 0) return enrolled
  const first = people.filter(({ userId }) => enrolled.has(userId))
  const rows = first.map((person) => ({ person, app: appRow(ctx, place, person), codes: codeRows(ctx, person) }))
  const apps = rows.map(({ app }) => app)
  // The transaction has seen that the serial numbers are free: with serializable transactions, none of them is taken now.
  if (!(await insertHardwareTokens(db, apps))) throw new Error('a serial number is taken that was free')
  await insertBypassCodes(
    db,
    rows.flatMap(({ codes }) => codes),
  )
  const stored = rows.map(({ app, codes }) => ({ userId: app.userId, hardware: app.id, count: codes.length }))
  await noteImportedCodes(
    db,
    stored.filter(({ count }) => count > 0).map(({ userId }) => userId),
  )
  await auditImported(db, ctx, place, stored)
  return enrolled
}

/** @returns false where the user has or had a factor already. */
async function enroll(
  db: Queryable,
  ctx: Context,
  { organizationId }: Place,
  { userId, recovery = [] }: ImportedPerson,
): Promise<boolean> {
  if (!(await enrollUser(db, ctx, { userId, first: true }, { organizationId }))) return false
  await closeImport(db, userId, recovery.length > 0 ? 1 : 0)
  if (recovery.length > 0) await noteCodes(db, userId)
  return true
}

function auditImported(
  db: Queryable,
  ctx: Context,
  { organizationId, domainId: domain }: Place,
  stored: readonly { readonly userId: string; readonly hardware: string; readonly count: number }[],
): Promise<void> {
  const events = stored.map(
    ({ userId: user, hardware, count }) =>
      ({ event: 'factors.imported', organizationId, facts: { hardware, domain, user, count } }) as const,
  )
  return audit(db, ctx, ...events)
}

function appRow(
  ctx: Context,
  { organizationId }: Place,
  { app: { seed, ...parameters }, userId, serialNumber }: ImportedPerson,
) {
  const createdAt = ctx.clock.now()
  // Many are made at once: as neighbors, they change a few pages of the database.
  const id = newIdOfTime(ctx.random, createdAt)
  const kind =
    serialNumber === undefined
      ? ({ alias: appAlias, serialNumber: appSerialNumber(id), selfEnrolled: 1 } as const)
      : ({ alias: defaultAlias(id), serialNumber, selfEnrolled: 0 } as const)
  return {
    organizationId,
    userId,
    ...parameters,
    ...kind,
    id,
    seed: ctx.secrets.seal(seed.toLowerCase(), { kind: 'seed', id, userId }),
    createdAt,
    drift: 0,
  }
}

/** The same code twice counts once. */
function codeRows(ctx: Context, { userId, recovery = [] }: ImportedPerson) {
  const forms = new Set(recovery.map((code: ImportedCode) => importedForm(code)))
  const createdAt = ctx.clock.now()
  return Array.from(forms, (form) => {
    const id = newIdOfTime(ctx.random, createdAt)
    return {
      id,
      userId,
      code: ctx.secrets.seal(form, { kind: 'bypass code', id, userId }),
      codeLookup: ctx.secrets.lookup(bypassCodeText(userId, form)),
      usesAllowed: 1,
      usesRemaining: 1,
      expiresAt: endOfTime,
      createdAt,
      imported: 1,
    } as const
  })
}
