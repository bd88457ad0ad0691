import type { ImportedApp, ImportedCode, ImportedFactors } from '../../../contract/imported-factors.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newId } from '../../engine/base/random.ts'
import { bypassCodeText } from '../../engine/secrets/secrets.ts'
import { importedForm } from '../bypass-codes/imported.ts'
import { endOfTime } from '../bypass-codes/rules.ts'
import { insertBypassCode } from '../bypass-codes/statements.ts'
import { enrollUser } from '../factors/enrollment.ts'
import { appAlias, appSerialNumber, defaultAlias } from '../hardware/rules.ts'
import { insertHardwareToken } from '../hardware/statements.ts'
import { closeImport, noteCodes } from '../users/enrollment.ts'

type Context = Pick<ServiceContext, 'clock' | 'random' | 'secrets'> & AuditContext

/** The user whose factors are stored, in the domain for which they are. */
export interface ImportedMember {
  readonly organizationId: string
  readonly domainId: string
  readonly userId: string
}

/**
 * Stores what a user passes the second step with in another system, as the first factors the user ever has here. In a transaction
 * that has locked the user, and has seen that nothing else forbids it.
 *
 * @param factors With a serial number, the app is a hardware token: it stays in the organization when the user leaves.
 * @returns the id of the app; undefined where the user has or had a factor already: then nothing is stored.
 */
export async function storeImported(
  db: Queryable,
  ctx: Context,
  { organizationId, domainId, userId }: ImportedMember,
  { app, recovery = [], serialNumber }: ImportedFactors & { readonly serialNumber?: string | undefined },
): Promise<string | undefined> {
  if (!(await enrollUser(db, ctx, { userId, first: true }, { organizationId }))) return undefined
  const hardware = await storeApp(db, ctx, { organizationId, userId, app, serialNumber })
  const count = await storeCodes(db, ctx, userId, recovery)
  await closeImport(db, userId, count > 0 ? 1 : 0)
  if (count > 0) await noteCodes(db, userId)
  const facts = { hardware, domain: domainId, user: userId, count }
  await audit(db, ctx, { event: 'factors.imported', organizationId, facts })
  return hardware
}

interface NewApp extends Pick<ImportedMember, 'organizationId' | 'userId'> {
  readonly app: ImportedApp
  readonly serialNumber: string | undefined
}

/** @throws {ApiProblem} where another hardware token has the serial number. */
async function storeApp(
  db: Queryable,
  ctx: Context,
  { app: { seed, ...parameters }, serialNumber, ...owner }: NewApp,
): Promise<string> {
  const id = newId(ctx.random)
  const kind =
    serialNumber === undefined
      ? ({ alias: appAlias, serialNumber: appSerialNumber(id), selfEnrolled: 1 } as const)
      : ({ alias: defaultAlias(id), serialNumber, selfEnrolled: 0 } as const)
  const inserted = await insertHardwareToken(db, {
    ...owner,
    ...parameters,
    ...kind,
    id,
    seed: ctx.secrets.seal(seed.toLowerCase(), { kind: 'seed', id, userId: owner.userId }),
    createdAt: ctx.clock.now(),
  })
  if (!inserted) throw new ApiProblem('api.error.conflict.serialnumber')
  return id
}

/** @returns how many there are: the same code twice counts once. */
async function storeCodes(
  db: Queryable,
  ctx: Context,
  userId: string,
  codes: readonly ImportedCode[],
): Promise<number> {
  const forms = new Set(codes.map((code) => importedForm(code)))
  const createdAt = ctx.clock.now()
  for (const form of forms) {
    const id = newId(ctx.random)
    await insertBypassCode(db, {
      id,
      userId,
      code: ctx.secrets.seal(form, { kind: 'bypass code', id, userId }),
      codeLookup: ctx.secrets.lookup(bypassCodeText(userId, form)),
      usesAllowed: 1,
      usesRemaining: 1,
      expiresAt: endOfTime,
      createdAt,
      imported: 1,
    })
  }
  return forms.size
}
