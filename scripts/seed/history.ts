import type { Factor } from '../../src/contract/factor.ts'
import { chainStart, hashEntry } from '../../src/service/engine/audit/entry.ts'
import type { AuditEvent } from '../../src/service/engine/audit/entry.ts'
import type { ServiceContext } from '../../src/service/engine/context/service-context.ts'
import type { SignInOutcome } from '../../src/service/engine/database/schema/schema.ts'
import { noteSignIn } from '../../src/service/features/sessions/last-sign-ins.ts'
import { addToTimeline } from '../../src/service/engine/audit/timeline.ts'
import { insertMany } from './insert-many.ts'
import type { SeededPerson, Tenant } from './people.ts'
import type { SeededRandom } from './random.ts'

const day = 24 * 60 * 60
const days = 30

/** How sign-ins end, of 10,000. */
const outcomes: readonly (readonly [SignInOutcome, number])[] = [
  ['approved', 9_480],
  ['denied', 260],
  ['expired', 210],
  ['cancelled', 47],
  ['reported', 3],
]

interface SignIn {
  readonly id: string
  readonly person: SeededPerson
  readonly at: number
  readonly outcome: SignInOutcome
  /** The factor that passed or was tried. */
  readonly factor: Factor | null
  readonly address: string
}

/** The sign-ins of a month: in the counters all of them, in the audit trail a share, and as sessions those of a day. */
export async function seedHistory(
  ctx: ServiceContext,
  tenant: Tenant,
  random: SeededRandom,
  people: readonly SeededPerson[],
): Promise<void> {
  const enrolled = people.filter(({ method }) => method !== 'none')
  const signIns = Array.from({ length: Math.ceil(people.length * 0.6) }, () =>
    newSignIn(tenant, random, enrolled),
  ).sort((a, b) => a.at - b.at)
  await insertTrail(ctx, tenant, random, signIns)
  await insertCounters(ctx, signIns)
  await insertLastSignIns(ctx, signIns)
  await insertSessions(ctx, tenant, random, signIns)
}

function newSignIn({ now }: Tenant, random: SeededRandom, people: readonly SeededPerson[]): SignIn {
  const person = random.pick(people)
  const outcome = outcomeOf(random.between(1, 10_000))
  const failed = outcome === 'expired' || outcome === 'cancelled'
  return {
    id: random.id(),
    person,
    at: timeOf(now, random),
    outcome,
    factor: failed ? null : factorOf(person, random),
    address: `198.51.100.${random.between(1, 254)}`,
  }
}

function outcomeOf(place: number): SignInOutcome {
  let end = 0
  return outcomes.find(([, share]) => place <= (end += share))?.[0] ?? 'approved'
}

/** Mostly at work: four of five sign-ins of a weekend are on one of the five workdays before it instead. */
function timeOf(now: number, random: SeededRandom): number {
  const at = now - random.between(0, days * day - 1)
  const weekday = new Date(at * 1000).getUTCDay()
  const daysBack = weekday === 6 ? random.between(1, 5) : weekday === 0 ? random.between(2, 6) : 0
  return daysBack > 0 && at - daysBack * day > now - days * day && random.chance(0.8) ? at - daysBack * day : at
}

function factorOf({ method }: SeededPerson, random: SeededRandom): Factor {
  if (random.chance(0.012)) return 'bypass'
  if (random.chance(0.04)) return 'email'
  return method === 'none' ? 'email' : method
}

/** Each sign-in of the trail stands for as many in the counters. */
const countedDays = 22

async function insertCounters({ store: { db } }: ServiceContext, signIns: readonly SignIn[]): Promise<void> {
  const groups = Map.groupBy(signIns, ({ person, at, outcome, factor }) =>
    [person.domainId, Math.floor(at / day), outcome, factor ?? ''].join(),
  )
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { person, at, outcome, factor } = first
    const where = { domainId: person.domainId, day: Math.floor(at / day), outcome }
    return [{ ...where, factor: factor ?? ('' as const), count: group.length * countedDays }]
  })
  await insertMany(rows, (batch) => db.insertInto('signInDay').values(batch).execute())
}

async function insertLastSignIns({ store: { db } }: ServiceContext, signIns: readonly SignIn[]): Promise<void> {
  const last = new Map(
    signIns.filter(({ outcome }) => outcome === 'approved').map(({ person, at }) => [person.id, at] as const),
  )
  await db.transaction().execute(async (tx) => {
    for (const [userId, at] of last) await noteSignIn(tx, userId, at)
  })
}

/** One chain, hashed as the service does it, and counted already. */
async function insertTrail(
  { store: { db } }: ServiceContext,
  tenant: Tenant,
  random: SeededRandom,
  signIns: readonly SignIn[],
): Promise<void> {
  const writer = random.id()
  let previous = chainStart
  const rows = signIns
    .flatMap((signIn) => eventsOf(tenant, signIn))
    .map(({ at, event }, index) => {
      const sequence = index + 1
      previous = hashEntry(previous, { ...event, writer, sequence, at })
      const { event: name, actor, organizationId, address, facts } = event
      const actorColumns = { actorKind: actor.kind, actorId: actor.id, organizationId, address }
      return { writer, sequence, at, event: name, ...actorColumns, facts: JSON.stringify(facts), hash: previous }
    })
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return
  const start = { startSequence: 0, startHash: chainStart, startedAt: first.at, endedAt: last.at }
  const head = { sequence: last.sequence, hash: last.hash, countedSequence: last.sequence }
  await db
    .insertInto('auditWriter')
    .values({ id: writer, ...start, ...head })
    .execute()
  await insertMany(rows, (batch) => db.insertInto('audit').values(batch).execute())
  await addToTimeline(db, { writer, after: 0, through: last.sequence })
}

function eventsOf({ organizationId }: Tenant, { id, person, at, outcome, factor, address }: SignIn) {
  const { id: user, domainId: domain, deviceId, method } = person
  const device = method === 'push' ? deviceId : null
  const common = { session: id, domain, user }
  const app = { kind: 'api_key', id: 'seed' } as const
  const created: AuditEvent = {
    event: 'session.created',
    actor: app,
    organizationId,
    address,
    facts: { ...common, device, numbered: device !== null },
  }
  const answered = { ...common, device, factor }
  const reason = outcome === 'reported' ? 'reported' : factor === 'push' ? 'user_denied' : 'wrong_code'
  const ended: AuditEvent = {
    event: `session.${outcome === 'reported' ? 'denied' : outcome}`,
    actor: device === null ? app : { kind: 'device', id: device },
    organizationId,
    address,
    facts: factor === null ? common : outcome === 'approved' ? answered : { ...answered, reason },
  }
  return [
    { at, event: created },
    { at: at + 9, event: ended },
  ]
}

/** What is stored of a day; of it some are reported, and some still wait. */
async function insertSessions(
  { store: { db } }: ServiceContext,
  { now }: Tenant,
  random: SeededRandom,
  signIns: readonly SignIn[],
): Promise<void> {
  const today = signIns.filter(({ at }) => at > now - day)
  const rows = today.map(({ id, person, at, outcome, factor, address }, index) => {
    const isLast = index >= today.length - 8
    const state = outcome === 'reported' ? ('denied' as const) : outcome
    const reason = index % 400 === 7 ? ('reported' as const) : outcome === 'denied' ? ('user_denied' as const) : null
    const common = {
      id,
      domainId: person.domainId,
      userId: person.id,
      deviceId: person.method === 'push' ? person.deviceId : null,
      nonce: '',
      attributes: '[]',
      ipAddress: address,
    }
    if (isLast) {
      const waits = { state: 'pending' as const, reason: null, factor: null, createdAt: now, settledAt: null }
      return { ...common, ...waits, expiresAt: now + random.between(300, 600) }
    }
    const settled = { state: reason === null ? state : ('denied' as const), reason, factor, settledAt: at + 9 }
    return { ...common, ...settled, createdAt: at, expiresAt: at + 90 }
  })
  await insertMany(rows, (batch) => db.insertInto('session').values(batch).execute())
}
