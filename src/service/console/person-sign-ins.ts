import type * as contract from '../../contract/admin/person-sign-ins.ts'
import { signInPage } from '../../contract/admin/person-sign-ins.ts'
import type { PersonSignIn } from '../../contract/admin/person-sign-ins.ts'
import type { Attribute } from '../../contract/session-facts.ts'
import type { Call, Handler } from '../http/route.ts'
import { atTime } from '../rules/session-state.ts'
import { belongings } from '../store/belongings.ts'
import { activeDevice } from '../store/devices.ts'
import { answersOfDevices, sessionsOfUser } from '../store/person-sign-ins.ts'
import type { SignInRow } from '../store/person-sign-ins.ts'
import { visibleTo } from './call.ts'

/** A sign-in as it is stored, as far as it is known. */
type Row = Pick<SignInRow, 'id' | 'domainId' | 'state' | 'reason' | 'purpose' | 'attributes' | 'ipAddress'> &
  Pick<SignInRow, 'createdAt'> &
  Partial<Pick<SignInRow, 'factor' | 'knownBrowser'>>

export const list: Handler<typeof contract.listPersonSignIns> = async ({ userId, before }, call) => {
  const domainIds = await visibleDomains(call, userId)
  const page = { before: Number(before ?? Number.MAX_SAFE_INTEGER), limit: signInPage + 1 }
  const sessions = await sessionsOfUser(call.store.db, userId, domainIds, page)
  const answers = await answersOfDevices(call.store.db, await devicesOf(call, userId, domainIds), page)
  const rows = newestFirst(
    sessions.map((row) => atTime(row, call.clock.now())),
    answers,
  )
  const shown = pageOf(rows)
  const last = shown.at(-1)
  return {
    signIns: shown.map((row) => signInView(row)),
    ...(last && shown.length < rows.length && { next: String(last.createdAt) }),
  }
}

/** The domains of the person that the administrator may see. */
async function visibleDomains(call: Call, userId: string): Promise<readonly string[]> {
  const { domainIds: allowed } = visibleTo(call)
  const all = (await belongings(call.store.db, [userId], call.clock.now())).get(userId)?.domainIds ?? []
  return all.filter((id) => allowed === null || allowed.includes(id))
}

async function devicesOf({ store }: Call, userId: string, domainIds: readonly string[]): Promise<string[]> {
  const devices = await Promise.all(domainIds.map((id) => activeDevice(store.db, id, userId)))
  return devices.flatMap((device) => (device ? [device.id] : []))
}

/** A session says more than the answer to it, so it is shown while it is kept. */
function newestFirst(sessions: readonly Row[], answers: readonly Row[]): Row[] {
  const known = new Set(sessions.map(({ id }) => id))
  return [...sessions, ...answers.filter(({ id }) => !known.has(id))].toSorted((a, b) => b.createdAt - a.createdAt)
}

/** The next page begins before the last second of this one, so no second is on both. */
function pageOf(rows: readonly Row[]): readonly Row[] {
  const next = rows[signInPage]
  if (!next) return rows
  const page = rows.slice(0, signInPage)
  const whole = page.filter(({ createdAt }) => createdAt > next.createdAt)
  return whole.length > 0 ? whole : page
}

/** The sign-ins that wait for an answer, in the domains that the administrator may see. */
export async function waitingSignIns(call: Call, userId: string): Promise<PersonSignIn[]> {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: signInPage }
  const rows = await sessionsOfUser(call.store.db, userId, await visibleDomains(call, userId), page)
  return rows
    .map((row) => atTime(row, call.clock.now()))
    .filter(({ state }) => state === 'pending')
    .map((row) => signInView(row))
}

function signInView(row: Row): PersonSignIn {
  const { id, domainId, state, reason, factor, createdAt } = row
  return {
    id,
    domain: domainId,
    state,
    ...(reason !== null && { reason }),
    ...(factor && { factor }),
    ...originView(row),
    at: createdAt,
  }
}

type Origin = Pick<Row, 'purpose' | 'attributes' | 'ipAddress' | 'knownBrowser'>

/** Where a sign-in came from, and what for. */
export const originView = ({ purpose, attributes, ipAddress, knownBrowser }: Origin) => ({
  purpose,
  ...(ipAddress !== null && { address: ipAddress }),
  attributes: JSON.parse(attributes) as Attribute[],
  ...(knownBrowser !== undefined && { knownBrowser: knownBrowser === 1 }),
})
