import type { ServiceContext } from '../../src/service/engine/context/service-context.ts'
import { lockedUntil } from '../../src/service/features/codes/lock.ts'
import { nameKey } from '../../src/service/features/users/rules.ts'
import { seededDomains } from './domains.ts'
import { insertMany } from './insert-many.ts'
import { devices, familyNames, givenNames } from './names.ts'
import type { SeededRandom } from './random.ts'

const day = 24 * 60 * 60

/** A person who was created. */
export interface SeededPerson {
  readonly id: string
  readonly username: string
  /** The first domain of the person. */
  readonly domainId: string
  readonly method: 'push' | 'passkey' | 'otp' | 'none'
  /** The device's id, if that is the method. */
  readonly deviceId: string
  readonly joinedAt: number
}

export interface Tenant {
  readonly organizationId: string
  /** The ids in the order of `seededDomains`. */
  readonly domainIds: readonly string[]
  readonly now: number
}

/** Creates people with what they sign in with, and a stock of hardware tokens that belong to no one. */
export async function seedPeople(
  ctx: ServiceContext,
  tenant: Tenant,
  random: SeededRandom,
  { people: count, freeTokens }: { readonly people: number; readonly freeTokens: number },
): Promise<readonly SeededPerson[]> {
  const people = Array.from({ length: count }, (_, index) => newPerson(tenant, random, index))
  await insertUsers(ctx, tenant, random, people)
  await insertMemberships(ctx, tenant, random, people)
  await insertDevices(ctx, people, random)
  await insertPasskeys(ctx, tenant, people, random)
  await insertHardware(ctx, tenant, random, { people, freeTokens })
  await insertBypassCodes(ctx, tenant, people, random)
  return people
}

function newPerson({ domainIds, now }: Tenant, random: SeededRandom, index: number): SeededPerson & { name: string } {
  const [givenName, familyName] = [random.pick(givenNames), random.pick(familyNames)]
  const domain = random.fraction()
  const place = seededDomains.findIndex((_, i) => domain < sumOfShares(i + 1))
  const enrolled = seededDomains[place]?.enrolled ?? 0
  const method = random.chance(enrolled)
    ? random.pick(['push', 'push', 'push', 'push', 'push', 'passkey', 'otp'] as const)
    : 'none'
  return {
    id: random.id(),
    name: `${givenName} ${familyName}`,
    // The number is added as directories do for people of the same name.
    username: `u${String(index + 1).padStart(6, '0')}`,
    domainId: domainIds[place] ?? '',
    method,
    deviceId: random.id(),
    joinedAt: now - random.between(31, 900) * day,
  }
}

const sumOfShares = (count: number): number => seededDomains.slice(0, count).reduce((sum, { share }) => sum + share, 0)

async function insertUsers(
  { store: { db } }: ServiceContext,
  { organizationId, now }: Tenant,
  random: SeededRandom,
  people: readonly (SeededPerson & { name: string })[],
): Promise<void> {
  const rows = people.map(({ id, username, name, method, joinedAt }) => ({
    id,
    organizationId,
    username,
    nameKey: nameKey(username),
    name,
    email: random.chance(0.04) ? '' : `${username}@example.com`,
    everEnrolled: method === 'none' ? (0 as const) : (1 as const),
    strongEnrolled: method === 'none' ? (0 as const) : (1 as const),
    ...lock(random, now),
    createdAt: joinedAt,
  }))
  await insertMany(rows, (batch) => db.insertInto('user').values(batch).execute())
}

/** One in 1,500 is locked now. */
function lock(random: SeededRandom, now: number) {
  const failures = random.chance(1 / 1500) ? random.pick([10, 10, 10, 20, 30, 50]) : 0
  const at = now - random.between(0, 600)
  return {
    codeFailures: failures,
    codesLockedUntil: lockedUntil(failures, at) ?? null,
    codesLockedAt: failures > 0 ? at : null,
  }
}

async function insertMemberships(
  { store: { db } }: ServiceContext,
  { domainIds }: Tenant,
  random: SeededRandom,
  people: readonly SeededPerson[],
): Promise<void> {
  const rows = people.flatMap(({ id, domainId }) => {
    const second = random.chance(0.3) ? random.pick(domainIds.slice(0, 4)) : domainId
    return [...new Set([domainId, second])].map((each) => ({ domainId: each, userId: id }))
  })
  await insertMany(rows, (batch) => db.insertInto('membership').values(batch).execute())
}

async function insertDevices(
  { store: { db } }: ServiceContext,
  people: readonly SeededPerson[],
  random: SeededRandom,
): Promise<void> {
  const users = people.filter(({ method }) => method === 'push')
  const tokens = users.map(({ id, domainId, deviceId, joinedAt }) => ({
    id: `${deviceId.slice(0, 38)}ff`,
    domainId,
    userId: id,
    state: 'active' as const,
    createdAt: joinedAt,
    activatedAt: joinedAt + 600,
  }))
  const rows = users.map(({ id, domainId, deviceId, joinedAt }, index) => ({
    id: deviceId,
    tokenId: tokens[index]?.id ?? '',
    domainId,
    userId: id,
    name: random.pick(devices),
    keyX: '',
    keyY: '',
    createdAt: joinedAt + 600,
  }))
  await insertMany(tokens, (batch) => db.insertInto('token').values(batch).execute())
  await insertMany(rows, (batch) => db.insertInto('device').values(batch).execute())
}

async function insertPasskeys(
  { store: { db }, secrets }: ServiceContext,
  { organizationId }: Tenant,
  people: readonly SeededPerson[],
  random: SeededRandom,
): Promise<void> {
  const rows = people
    .filter(({ method }) => method === 'passkey' || (method === 'push' && random.chance(0.08)))
    .map(({ id: userId, joinedAt }) => {
      const id = random.id()
      return {
        id,
        organizationId,
        userId,
        rpId: 'intranet.example.com',
        credentialId: id,
        // It verifies nothing: there is no private key.
        publicKey: secrets.seal('', { kind: 'passkey', id, userId }),
        counter: 0,
        transports: '["internal"]',
        name: random.pick(devices),
        syncable: 1 as const,
        synced: 1 as const,
        createdAt: joinedAt,
      }
    })
  await insertMany(rows, (batch) => db.insertInto('passkey').values(batch).execute())
}

async function insertHardware(
  { store: { db }, secrets }: ServiceContext,
  { organizationId, now }: Tenant,
  random: SeededRandom,
  { people, freeTokens }: { readonly people: readonly SeededPerson[]; readonly freeTokens: number },
): Promise<void> {
  const users = people.filter(({ method }) => method === 'otp').map(({ id }) => id)
  const owners = [...users, ...Array.from({ length: freeTokens }, () => null)]
  const rows = owners.map((userId, index) => ({
    id: random.id(),
    organizationId,
    alias: `Token ${index + 1}`,
    serialNumber: `SN-${String(700_000 + index)}`,
    userId,
    createdAt: now - random.between(31, 900) * day,
  }))
  const generators = rows.map(({ id, userId }) => ({
    id,
    seed: secrets.seal(Buffer.from(random.bytes(20)).toString('hex'), { kind: 'seed', id, userId }),
    algorithm: 'SHA1' as const,
    digits: 6 as const,
    period: 30 as const,
    lastStep: -1,
    drift: 0,
    syncState: 'Never Used' as const,
  }))
  await insertMany(generators, (batch) => db.insertInto('codeGenerator').values(batch).execute())
  await insertMany(rows, (batch) => db.insertInto('hardwareToken').values(batch).execute())
}

/** One in 80 has a code that can still be used. */
async function insertBypassCodes(
  { store: { db }, secrets }: ServiceContext,
  { now }: Tenant,
  people: readonly SeededPerson[],
  random: SeededRandom,
): Promise<void> {
  const rows = people
    .filter(() => random.chance(1 / 80))
    .map(({ id: userId }) => {
      const id = random.id()
      return {
        id,
        userId,
        code: secrets.seal(String(random.between(100_000_000, 999_999_999)), { kind: 'bypass code', id, userId }),
        codeLookup: id,
        usesAllowed: 1,
        usesRemaining: 1,
        expiresAt: now + random.between(1, 23) * 3600,
        createdAt: now - random.between(1, 600),
      }
    })
  await insertMany(rows, (batch) => db.insertInto('bypassCode').values(batch).execute())
}
