import { createAdministration } from './administration.ts'
import { audit } from './engine/audit/audit.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import { nameDomain, nameOrganization } from './features/domains/app-names.ts'
import { domainsOf } from './features/domains/statements.ts'
import { organizations } from './features/domains/organization-statements.ts'
import { NameTakenError } from './engine/base/errors.ts'

/** How `embedded()` names its organization and domain. */
export interface AppNames {
  /** Names given to `embedded()`: created at first, later found by this name, and never renamed. */
  readonly organization?: string | undefined
  readonly domain?: string | undefined
  /** The app's name in `mfa()`: names whichever of the two was not named, and renames it when the app's name changes. */
  readonly app?: string | undefined
}

/** Names for an app without a name, as `second-factor init` uses them. */
export const defaultNames = { organization: 'Organization', domain: 'My app' } as const

/** The name that `second-factor init` gave the domain earlier, until devices asked "Sign in to Sign-in?". */
const formerNames = { organization: undefined, domain: 'Sign-in' } as const

/** Finds or creates the organization and the domain of the surrounding app. Several processes may do so at the same time. */
export async function openAppDomain(
  ctx: ServiceContext,
  { organization, domain, ...names }: AppNames,
): Promise<{ organizationId: string; domainId: string }> {
  const app = names.app?.trim() || undefined
  const organizationId = await find(ctx, organizationsOf(ctx), { configured: organization, app })
  const domainId = await find(ctx, domainsIn(ctx, organizationId), { configured: domain, app })
  return { organizationId, domainId }
}

interface NamedRow {
  readonly id: string
  readonly name: string
  /** The name that the app gave it last. */
  readonly appName: string | null
  readonly createdAt: number
}

/** Organizations, or the domains of one organization. */
interface Shelf {
  readonly kind: 'organization' | 'domain'
  all(): Promise<readonly NamedRow[]>
  /** @throws {NameTakenError} */
  create(name: string): Promise<unknown>
  /** @returns false if the name is taken. */
  rename(row: NamedRow, name: string): Promise<boolean>
}

async function find(
  ctx: ServiceContext,
  shelf: Shelf,
  { configured, app }: { readonly configured: string | undefined; readonly app: string | undefined },
): Promise<string> {
  if (configured !== undefined) return (await findOrCreate(shelf, configured)).id
  const ownRow = ownOf(shelf, await shelf.all(), app) ?? (await findOrCreate(shelf, app ?? defaultNames[shelf.kind]))
  await followApp(ctx, shelf, ownRow, app)
  return ownRow.id
}

/** The one that the app uses, whatever its name: renaming the app must not lead to an empty organization. */
function ownOf({ kind }: Shelf, all: readonly NamedRow[], app: string | undefined): NamedRow | undefined {
  const [ownRow] = all.filter(({ appName }) => appName !== null).toSorted((a, b) => a.createdAt - b.createdAt)
  const names = [defaultNames[kind], formerNames[kind], app]
  return ownRow ?? names.flatMap((candidateName) => all.find(({ name }) => name === candidateName) ?? [])[0]
}

/** A name that an administrator has chosen is not changed. */
async function followApp(ctx: ServiceContext, shelf: Shelf, ownRow: NamedRow, app: string | undefined): Promise<void> {
  if (ownRow.appName !== null && ownRow.appName !== ownRow.name) return
  const name = app ?? ownRow.name
  if (ownRow.appName === name || (await shelf.rename(ownRow, name))) return
  const currentRow = (await shelf.all()).find(({ id }) => id === ownRow.id)
  // Another process was faster.
  if (currentRow?.name === name) return
  ctx.logger.warn({}, `the ${shelf.kind} is still called "${ownRow.name}", because another one is called "${name}"`)
}

async function findOrCreate(shelf: Shelf, name: string): Promise<NamedRow> {
  const findByName = async () => (await shelf.all()).find((row) => row.name === name)
  const existing = await findByName()
  if (existing) return existing
  try {
    await shelf.create(name)
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof NameTakenError)) throw error
  }
  const created = await findByName()
  if (!created) throw new Error(`The ${shelf.kind} could not be created.`)
  return created
}

function organizationsOf(ctx: ServiceContext): Shelf {
  const { db } = ctx.store
  return {
    kind: 'organization',
    all: () => organizations(db),
    create: (name) => createAdministration(ctx).createOrganization(name),
    rename: ({ id, name: from }, to) =>
      db.transaction().execute(async (tx) => {
        const done = await nameOrganization(tx, { id, from, to })
        if (done && from !== to) await audit(tx, ctx, { event: 'organization.renamed', organizationId: id, facts: {} })
        return done
      }),
  }
}

function domainsIn(ctx: ServiceContext, organizationId: string): Shelf {
  const { db } = ctx.store
  return {
    kind: 'domain',
    all: () => domainsOf(db, organizationId),
    create: (name) => createAdministration(ctx).createDomain(organizationId, { name }),
    rename: ({ id, name: from }, to) =>
      db.transaction().execute(async (tx) => {
        const done = await nameDomain(tx, organizationId, { id, from, to })
        const facts = { domain: id, fields: 'name' }
        if (done && from !== to) await audit(tx, ctx, { event: 'domain.changed', organizationId, facts })
        return done
      }),
  }
}
