import { HOTP, Secret, TOTP } from 'otpauth'

import { keyUriNames } from '../../../ground/key-uri-names.ts'
import { audit } from '../../engine/audit/audit.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { mailOwnersOfExport } from '../../engine/mail/mail-owners.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import {
  countDevices,
  countFreeTokens,
  countPasskeys,
  countSeeds,
  seedsOfPeople,
  seedsPerPage,
} from './factor-export-statements.ts'
import type { SeedRow } from './factor-export-statements.ts'
import type { Visible } from './filters.ts'

interface ExportedScope {
  readonly organization: Named
  /** Only its members. */
  readonly domain?: Named | undefined
}

interface Named {
  readonly id: string
  readonly name: string
}

/** What an export contains, and what cannot leave. */
export interface FactorExport {
  readonly exported: number
  /** Their private keys exist on the phones of their users alone, and the codes that they show are bound to them. */
  readonly devices: number
  /** Their private keys exist in the authenticators of their users alone. */
  readonly passkeys: number
  /** Hardware tokens without a user; 0 in an export of one domain, to which they do not belong. */
  readonly freeTokens: number
  /** Serial numbers of tokens whose seeds do not open: they were damaged, or moved there. */
  readonly damaged: readonly string[]
  /** How many owners are told by mail. */
  readonly ownersTold: number
}

/** A line of the file. `factor import` reads the same members. */
interface ExportedFactor {
  readonly username: string
  readonly name?: string
  readonly email?: string
  /** Says that it is a hardware token; an app of a user has none. */
  readonly serialNumber?: string
  /** A Key URI with all parameters. */
  readonly otpauth: string
}

/**
 * Exports the seeds of authenticator apps and hardware tokens, a line of JSON for each person. The trail records the export, and owners
 * are told, before the first seed is opened: nobody gets seeds without a trace, however the process ends.
 * @param write Encrypts the lines. It gets them only once the entry is committed.
 */
export async function exportFactors(
  ctx: ServiceContext,
  scope: ExportedScope,
  write: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<FactorExport> {
  const { db } = ctx.store
  const visible = visibleIn(scope)
  const [seeds, devices, passkeys, freeTokens] = await Promise.all([
    counted(countSeeds(db, visible)),
    counted(countDevices(db, visible)),
    counted(countPasskeys(db, visible)),
    scope.domain ? 0 : counted(countFreeTokens(db, scope.organization.id)),
  ])
  const ownersTold = await record(ctx, scope, { count: seeds, skipped: devices + passkeys + freeTokens })
  const damaged: string[] = []
  let exported = 0
  await write(lines())
  return { exported, devices, passkeys, freeTokens, damaged, ownersTold }

  async function* lines(): AsyncGenerator<string> {
    for await (const row of allSeeds(ctx, visible)) {
      const seed = openSeed(ctx, row)
      if (seed === undefined) damaged.push(row.serialNumber)
      else {
        exported += 1
        yield `${JSON.stringify(exportedFactor(row, seed, scope))}\n`
      }
    }
  }
}

const visibleIn = ({ organization, domain }: ExportedScope): Visible => ({
  organizationId: organization.id,
  domainIds: domain ? [domain.id] : [],
  everyone: domain ? 0 : 1,
})

const counted = async (reading: Promise<{ readonly count: number | string }>): Promise<number> =>
  Number((await reading).count)

/** Commits the entry of the audit trail, and mails the owners. */
function record(
  ctx: ServiceContext,
  { organization, domain }: ExportedScope,
  counts: { readonly count: number; readonly skipped: number },
): Promise<number> {
  const [organizationId, domainId] = [organization.id, domain?.id ?? null]
  return ctx.store.db.transaction().execute(async (db) => {
    await audit(db, ctx, { event: 'factors.exported', organizationId, facts: { domain: domainId, ...counts } })
    return mailOwnersOfExport(db, ctx, { organizationId, domainId, by: ctx.actor.id ?? '', people: counts.count })
  })
}

/** Reads a page at a time. Each page is a statement of its own, so nobody waits for an export. */
async function* allSeeds({ store }: ServiceContext, visible: Visible): AsyncGenerator<SeedRow> {
  for (let after = 0; ;) {
    const rows = await seedsOfPeople(store.db, visible, after)
    yield* rows
    if (rows.length < seedsPerPage) return
    after = rows.at(-1)?.sequence ?? Number.MAX_SAFE_INTEGER
    await nextTurn()
  }
}

function openSeed({ secrets }: ServiceContext, { id, userId, seed }: SeedRow): string | undefined {
  try {
    return secrets.open(seed, { kind: 'seed', id, userId })
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

function exportedFactor(
  { username, name, email, serialNumber, selfEnrolled, algorithm, digits, period, counter }: SeedRow,
  seed: string,
  { organization, domain }: ExportedScope,
): ExportedFactor {
  const names = keyUriNames({ issuer: (domain ?? organization).name, account: username })
  const codes = { ...names, secret: Secret.fromHex(seed), algorithm, digits }
  const otpauth = (counter === null ? new TOTP({ ...codes, period }) : new HOTP({ ...codes, counter })).toString()
  return {
    username,
    ...(name !== '' && { name }),
    ...(email !== '' && { email }),
    // A token that an administrator has handed out comes back as one.
    ...(selfEnrolled === 0 && { serialNumber }),
    otpauth,
  }
}
