import type { ImportedCode, ImportedFactors } from '../../../contract/imported-factors.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import { newIdOfTime } from '../../engine/base/random.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { bypassCodeText } from '../../engine/secrets/secrets.ts'
import { importedForm } from '../bypass-codes/imported.ts'
import { endOfTime } from '../bypass-codes/rules.ts'
import { insertBypassCodes } from '../bypass-codes/statements.ts'
import { enrollAllImported } from '../factors/enrollment.ts'
import { appAlias, appSerialNumber, defaultAlias } from '../hardware/rules.ts'
import { insertHardwareTokens } from '../hardware/statements.ts'
import { noteImportedCodes } from '../users/enrollment.ts'

type Context = Pick<ServiceContext, 'clock' | 'random' | 'secrets'> & AuditContext

/** The domain for which the factors are stored. */
export interface Place {
  readonly organizationId: string
  readonly domainId: string
}

/** A user with factors. With a serial number, the app is a hardware token: it stays in the organization when the user leaves. */
export type ImportedPerson = ImportedFactors & { readonly userId: string; readonly serialNumber?: string | undefined }

/**
 * Stores what users pass the second step with in another system, as the first factors they ever have here; 100 users at most. In a
 * transaction that has seen that nothing else forbids it. One statement for all apps is several times faster than one for each, because
 * the search index is prepared with it.
 *
 * @returns the ids of their apps, by the ids of the users; without those who have or had a factor already, for whom nothing is stored.
 */
export async function storeImported(
  db: Queryable,
  ctx: Context,
  place: Place,
  people: readonly ImportedPerson[],
): Promise<ReadonlyMap<string, string>> {
  const userIds = people.map(({ userId }) => userId)
  const enrolled = await enrollAllImported(db, ctx, userIds, place)
  if (enrolled.size === 0) return new Map()
  const rows = people
    .filter(({ userId }) => enrolled.has(userId))
    .map((person) => ({ app: appRow(ctx, place, person), codes: codeRows(ctx, person) }))
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
  return new Map(apps.map(({ id, userId }) => [userId, id]))
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
