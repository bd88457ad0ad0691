import type * as contract from '../../../admin-contract/people.ts'
import type { EnrollmentMail, Person, PersonSummary } from '../../../admin-contract/people.ts'
import { placesOf } from '../../../contract/factor-descriptions.ts'
import * as tokens from '../devices/tokens.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { untilUnlocked } from '../codes/lock.ts'
import { settingsVersion } from '../domains/rules.ts'
import { belongings, bypassCodesOfUsers } from '../users/belongings.ts'
import type { Belongings } from '../users/belongings.ts'
import { helpDeskBlockedUntil } from '../administrators/caller-statements.ts'
import { hardwareTokenOfUser, passkeysOfUser } from '../factors/possessions.ts'
import { listedBrowsers } from '../browsers/statements.ts'
import { lastSignInsOf } from '../sessions/last-sign-ins.ts'
import { tokensOfUser } from './person-statements.ts'
import { userById } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { bypassCodeView } from '../bypass-codes/view.ts'
import { hardwareView } from '../hardware/view.ts'
import { passkeyView } from '../passkeys/view.ts'
import { userView } from '../users/view.ts'
import { signedIn, visibleTo } from '../administrators/call.ts'
import { readPeople } from './pages.ts'
import { standingCall } from '../callers/console.ts'

export const search: Handler<typeof contract.searchPeople> = async ({ sort, order, from, ...filters }, call) => {
  const first = Number(from ?? 1)
  const page = { from: first, ...(sort && { sort }), ...(order && { order }) }
  const { rows, ...place } = await call.lists.ofConsole.run(() => readPeople(call, filters, page))
  return { people: await summaries(call, rows), from: first, ...place }
}

export const get: Handler<typeof contract.getPerson> = ({ userId }, call) => showPerson(call, userId)

export async function summaries(call: Call, rows: readonly UserRow[]): Promise<PersonSummary[]> {
  const all = await belongings(
    call.store.db,
    rows.map(({ id }) => id),
    call.clock.now(),
    visibleTo(call).domainIds,
  )
  const signIns = await lastSignInsOf(
    call.store.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => summaryOf(call, row, all.get(row.id), signIns.get(row.id)))
}

function summaryOf(
  call: Call,
  row: UserRow,
  has: Belongings | undefined,
  lastSignInAt: number | undefined,
): PersonSummary {
  const { id, username, name, domains, factors, bypasscodes } = userView(row, has)
  return {
    id,
    username,
    name,
    ...placesOf(row),
    domains,
    factors: factors ?? [],
    ...lockOf(row, call.clock.now()),
    bypassCodes: bypasscodes.length,
    ...(lastSignInAt !== undefined && { lastSignInAt }),
  }
}

const isVisible = ({ domainIds }: SignedIn, domain: string): boolean => domainIds === null || domainIds.includes(domain)

/** Codes are locked apart for known browsers and for everything else; the console shows the later end. */
function lockOf({ codesLockedUntil, knownCodesLockedUntil }: UserRow, now: number): Pick<PersonSummary, 'locked'> {
  const until = Math.max(codesLockedUntil ?? 0, knownCodesLockedUntil ?? 0)
  if (until <= now) return {}
  return { locked: { until: until === untilUnlocked ? null : until } }
}

/** A person as the console shows it. No code that opens anything leaves here. */
export async function showPerson(call: Call, userId: string): Promise<Person> {
  const { db } = call.store
  const now = call.clock.now()
  const row = await userById(db, call.organizationId, userId)
  if (!row) throw new ApiProblem('api.error.notfound.user')
  const { domainIds } = visibleTo(call)
  const visible = (await belongings(db, [userId], now, domainIds)).get(userId)
  const has = domainIds === null ? visible : (await belongings(db, [userId], now)).get(userId)
  const summary = summaryOf(call, row, visible, (await lastSignInsOf(db, [userId])).get(userId))
  const hardware = await hardwareTokenOfUser(db, userId)
  const [caller, blockedUntil] = [await standingCall(call, userId), await helpDeskBlockedUntil(db, userId, now)]
  return {
    ...summary,
    everEnrolled: row.everEnrolled === 1,
    ...(row.language !== null && { language: row.language }),
    createdAt: row.createdAt,
    ...(row.emailChangedAt !== null && { emailChangedAt: row.emailChangedAt }),
    elsewhere: (has?.domainIds.length ?? 0) > summary.domains.length,
    version: personVersion(row),
    enrollmentMails: await mailsTo(call, userId),
    links: call.authenticatorUrl === undefined ? 'none' : call.senders.email ? 'mailed' : 'shown',
    tokens: await shownTokens(call, userId),
    ...(hardware && { hardware: hardwareView(hardware) }),
    passkeys: (await passkeysOfUser(db, userId)).map((passkey) => passkeyView(passkey)),
    codes: (await bypassCodesOfUsers(db, [userId], now)).map((code) => bypassCodeView(code, undefined)),
    browsers: await browsersOf(call, userId, summary.domains),
    ...(caller && { caller }),
    ...(blockedUntil !== undefined && { helpDeskBlockedUntil: blockedUntil }),
  }
}

/** A digest of what administrators change of a person. */
export const personVersion = ({ username, name, email, language }: UserRow): string =>
  settingsVersion({ username, name, email, language })

/** The mails with links that were not used, in the domains that the administrator sees. */
async function mailsTo(call: Call, userId: string): Promise<EnrollmentMail[]> {
  const all = await tokensOfUser(call.store.db, userId)
  return all.flatMap(({ domainId, mailedAt, codeExpiresAt }) => {
    if (mailedAt === null || codeExpiresAt === null || !isVisible(signedIn(call), domainId)) return []
    return [{ domain: domainId, sentAt: mailedAt, expiresAt: codeExpiresAt }]
  })
}

/** Lists the browsers that are remembered or kept in these domains. */
async function browsersOf({ store, clock }: Call, userId: string, domainIds: readonly string[]) {
  const browsers: Person['browsers'] = []
  for (const domain of domainIds) {
    const listed = await listedBrowsers(store.db, { domainId: domain, userId }, clock.now())
    browsers.push(...listed.map(({ name }) => ({ domain, ...(name !== null && { name }) })))
  }
  return browsers
}

async function shownTokens(call: Call, userId: string): Promise<Person['tokens']> {
  const visibleTokens: Person['tokens'] = []
  for (const { domainId, keyType } of await tokensOfUser(call.store.db, userId)) {
    if (!isVisible(signedIn(call), domainId)) continue
    // An expired one reads as none.
    const token = await tokens.get({ domainId, userId }, call).catch(ignoreMissing)
    if (token) visibleTokens.push({ ...token, domain: domainId, keyType })
  }
  return visibleTokens
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof ApiProblem) || error.status !== 404) throw error
}
