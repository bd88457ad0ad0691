import { createAdministration } from '../../src/service/administration.ts'
import type { ServiceContext } from '../../src/service/engine/context/service-context.ts'
import { createEnrollmentCount } from '../../src/service/features/people/count-enrolled.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { seededDomains } from './domains.ts'
import { seedHistory } from './history.ts'
import { seedPeople } from './people.ts'
import type { Tenant } from './people.ts'
import { createRandom } from './random.ts'
import type { SeededRandom } from './random.ts'

export interface SeedOptions {
  /** The file of a SQLite database that does not exist yet, or the address of an empty PostgreSQL database. */
  readonly database: string
  readonly people: number
  /** For PostgreSQL, which has no folder for a key file. */
  readonly keys?: string | undefined
  /** Hardware tokens that belong to no one; by default one for each 200 people. */
  readonly freeTokens?: number
  /** The same people and sign-ins in each run, that end now. */
  readonly seed?: number
}

export interface Seeded {
  readonly organizationId: string
  readonly domainIds: readonly string[]
}

/** Fills a new database with people and a month of history. What the service would do one at a time, statements do. */
export async function seedDatabase({
  database,
  people,
  keys,
  freeTokens = Math.ceil(people / 200),
  seed = 1,
}: SeedOptions): Promise<Seeded> {
  const random = createRandom(seed)
  const options = ServiceOptions.parse({
    database,
    ...(keys !== undefined && { keys }),
    random: (size: number) => random.bytes(size),
  })
  const service = await openService(options, undefined, { create: true, timeout: 600_000 })
  try {
    const tenant = await createTenant(service.ctx)
    await insertAdministrators(service.ctx, tenant, random)
    const created = await seedPeople(service.ctx, tenant, random, { people, freeTokens })
    await seedHistory(service.ctx, tenant, random, created)
    await createEnrollmentCount(service.ctx, Infinity)()
    return tenant
  } finally {
    await service.close()
  }
}

async function createTenant(ctx: ServiceContext): Promise<Tenant> {
  const administration = createAdministration(ctx)
  const { id: organizationId } = await administration.createOrganization('Acme')
  const domainIds: string[] = []
  for (const { name, type, emailOtpEnabled } of seededDomains) {
    domainIds.push((await administration.createDomain(organizationId, { name, type, emailOtpEnabled })).id)
  }
  return { organizationId, domainIds, now: ctx.clock.now() }
}

/** They have no passkeys: new invitations do for those who sign in. */
async function insertAdministrators(
  { store: { db } }: ServiceContext,
  { organizationId, domainIds, now }: Tenant,
  random: SeededRandom,
): Promise<void> {
  const apps = [
    { name: 'Olivia Owner', role: 'owner' },
    { name: 'Oskar Owner', role: 'owner' },
    { name: 'Ann Admin', role: 'admin' },
    { name: 'Hal Helper', role: 'helpdesk' },
    { name: 'Hedda Helper', role: 'helpdesk' },
    { name: 'Aude Auditor', role: 'auditor' },
  ] as const
  for (const { name, role } of apps) {
    const id = random.id()
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
    const userHandle = Buffer.from(random.bytes(32)).toString('base64url')
    const times = { createdAt: now - 90 * 86_400, lastSeenAt: now - random.between(60, 400_000) }
    await db
      .insertInto('administrator')
      .values({ id, organizationId, name, email, role, userId: null, userHandle, ...times })
      .execute()
    const limited = role === 'admin' || role === 'helpdesk' ? domainIds.slice(0, 3) : []
    const rows = limited.map((domainId) => ({ administratorId: id, domainId }))
    if (rows.length > 0) await db.insertInto('administratorDomain').values(rows).execute()
  }
}
