import type * as contract from '../../../contract/sessions.ts'
import { isStrong } from '../../../contract/factor-descriptions.ts'
import { requestedPolicy } from '../../../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../../../contract/phishing-resistance.ts'
import type { SessionReason } from '../../../contract/sessions.ts'
import { auditSession, auditThrottled } from './audit.ts'
import { withinBudget } from '../codes/budget.ts'
import { bypassLookups } from '../bypass-codes/forms.ts'
import { checkCode, isNotHandedOver, meantFactor } from '../codes/check-code.ts'
import type { GivenCode } from '../codes/check-code.ts'
import { enrollUser } from '../factors/enrollment.ts'
import { userNeedsPasskey } from '../factors/needs-passkey.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { presentPasskey, usePasskey } from '../passkeys/check-passkey.ts'
import type { PresentedPasskey } from '../passkeys/check-passkey.ts'
import { limitedNetwork, takePush } from './push-budget.ts'
import { fitAttributes } from './attributes.ts'
import { isKeptByCode, sessionBrowser } from '../browsers/kept-browsers.ts'
import type { SessionBrowser, Budget } from '../../../contract/known-browser.ts'
import { newMatchingNumber, scanHashOf } from './rules.ts'
import { isTriedForPasskey } from '../factors/phishing-resistance.ts'
import { newIdOfTime, random128 } from '../../engine/base/random.ts'
import { greetDevice, cancelReplaced, insertSession, pendingNumbers } from './statements.ts'
import { activeDevice } from '../factors/possessions.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Fact, Queryable } from '../../engine/database/schema/schema.ts'
import type { FoundBrowser } from '../browsers/statements.ts'
import type { SessionRow } from './statements.ts'
import { lockUser } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { afterCommit, readCommitted } from '../../engine/database/transaction-ends.ts'
import { findMember } from '../domains/find.ts'
import type { Member } from '../domains/find.ts'
import { budgetOf, namedBrowser } from '../browsers/known-browser.ts'
import { createdView, notifyCreated } from './created-session.ts'
import type { Started } from './created-session.ts'
import { redeemWithin, policyOf } from './redeem.ts'

export type NewSessionInput = Input<typeof contract.createSession>

export const create: Handler<typeof contract.createSession> = async (rawInput, call) => {
  const prepared = await prepare(call, rawInput)
  let member: Member | undefined
  let budget: Budget = 'other'
  const change = async (db: Queryable) => {
    const { domain, user } = (member = await findMember(call, rawInput.domainId, rawInput.user, db))
    const input = fitInformation(call, rawInput)
    const [locked, callerBrowser] = await Promise.all([
      // A transaction that has waited for this user has to notice this one. A code updates the user in any case.
      isByCode(input) || lockUser(db, call.organizationId, user.id),
      namedBrowser(call, db, { browser: input.browser, domainId: domain.id, userId: user.id }),
    ])
    if (!locked) throw new ApiProblem('api.error.notfound.user')
    budget = budgetOf(callerBrowser)
    const browser = sessionBrowser(callerBrowser.known, input, call.clock.now())
    const keptBrowser = browser === 'kept' ? (callerBrowser.known?.idHash ?? null) : null
    const passedBefore = passedBeforeIn(callerBrowser, input)
    const created = await start(call, db, {
      ...prepared,
      input,
      domain,
      user,
      budget,
      browser,
      keptBrowser,
      passedBefore,
    })
    await auditSession(db, call, created.session, call)
    // Also where the outcome of COMMIT is unknown: a caller who repeats the call finds the session, and nothing else would push it.
    afterCommit(db, () => notifyCreated(call, created))
    return { ...created, redeemed: await redeemCode(call, db, created.session, input) }
  }
  const begin = <R>(run: (db: Queryable) => Promise<R>) => transactionFor(call, rawInput).execute(run)
  return answerOnce(call, { change, answer: createdView, begin }).catch(async (error: unknown) => {
    if (member) await auditThrottled(call, error, throttledOf(member, budget, rawInput))
    throw error
  })
}

/** A caller that names a browser, or has a rule for unknown ones, distinguishes them. */
function passedBeforeIn({ hasPassed }: FoundBrowser, { browser, unknownBrowser }: NewSessionInput): Fact | null {
  if (browser === undefined && unknownBrowser === undefined) return null
  return hasPassed ? 1 : 0
}

const throttledOf = ({ domain, user }: Member, budget: Budget, { ipAddress = null }: NewSessionInput) => ({
  domain: domain.id,
  user: user.id,
  budget,
  address: ipAddress,
})

/** Redeems the approval of a code or a passkey before any other call can read it. If that is impossible, the code is not used up. */
async function redeemCode(
  call: Call,
  db: Queryable,
  session: SessionRow,
  { redeem: redemption, challenge }: NewSessionInput,
) {
  if (!redemption || challenge === undefined || session.state !== 'approved') return undefined
  const redeemed = await redeemWithin(call, db, session, { challenge, browser: redemption.browser })
  if (!redeemed) throw new ApiProblem('api.error.notfound.user')
  return redeemed
}

/** Requests that are limited by network count those of other users, which no lock on this user orders. */
function transactionFor({ store }: Call, input: NewSessionInput) {
  const { passkey, challenge = null, ipAddress = null } = input
  const isLimited = !isByCode(input) && !passkey && limitedNetwork({ challenge, ipAddress }) !== null
  return isLimited ? store.db.transaction() : readCommitted(store.db)
}

const isByCode = ({ bypasscode, otp, passkey }: NewSessionInput): boolean =>
  !passkey && (bypasscode ?? otp) !== undefined

/** Informational fields never fail a sign-in: they are shortened or omitted. The log mentions it without the values. */
function fitInformation(call: Call, input: NewSessionInput): NewSessionInput {
  const { attributes, shortened, leftOut } = fitAttributes(input.attributes ?? [])
  const noAddress = input.ipAddress === null
  if ((shortened > 0 || leftOut > 0 || noAddress) && call.logLimit.admits(`information ${input.domainId}`)) {
    const facts = { domain: input.domainId, shortenedAttributes: shortened, omittedAttributes: leftOut, noAddress }
    call.logger.warn(facts, 'session information was shortened or omitted')
  }
  return { ...input, attributes: [...attributes] }
}

/** The values that take time to verify, which is therefore done before the transaction. */
interface Prepared {
  readonly bypassLookups: readonly string[]
  readonly assertion: PresentedPasskey | undefined
}

interface StartContext extends Prepared {
  readonly input: NewSessionInput
  readonly domain: DomainRow
  readonly user: UserRow
  readonly budget: Budget
  readonly browser: SessionBrowser | null
  /** The hash of its id, if it is a kept one. */
  readonly keptBrowser: string | null
  readonly passedBefore: Fact | null
}

async function prepare(call: Call, input: NewSessionInput): Promise<Prepared> {
  const { passkey } = input
  const isBypass = meantFactor(input) === 'bypass'
  if (!passkey && !isBypass) return { bypassLookups: [], assertion: undefined }
  const { domain, user } = await findMember(call, input.domainId, input.user)
  const assertion = passkey && (await presentPasskey(call, passkey, { domainId: domain.id, userId: user.id }))
  const code = input.bypasscode ?? input.otp ?? ''
  return { assertion, bypassLookups: isBypass ? await bypassLookups(call, user.id, code) : [] }
}

async function start(call: Call, db: Queryable, startContext: StartContext): Promise<Started> {
  const { input, domain, user, assertion, browser } = startContext
  if (assertion) return byPasskey(call, db, startContext, assertion)
  const passkeyNeeded = await needsPasskey(db, startContext, policyOf(domain, input, browser))
  if (passkeyNeeded && !(await mayReplacePasskey(db, startContext))) return refuse(call, db, startContext)
  if (isByCode(input)) return byCode(call, db, { ...startContext, passkeyNeeded })
  const device = await activeDevice(db, domain.id, user.id)
  if (!device) throw new ApiProblem('api.error.notfound.token')
  const askResult = await ask(call, db, { ...startContext, deviceId: device.id })
  // The names of devices are for administrators, and for apps that may change factors.
  return { ...askResult, deviceName: call.role === 'admin' ? device.name : undefined }
}

const needsPasskey = (db: Queryable, { input, user }: StartContext, policy: PhishingResistance): Promise<boolean> =>
  userNeedsPasskey(db, { policy, userId: user.id, rpId: input.rpId })

/** Whether a code that an administrator hands over may lead to a passkey, or keep this browser. */
async function mayReplacePasskey(db: Queryable, startContext: StartContext): Promise<boolean> {
  const { input, domain, browser } = startContext
  if (!isTriedForPasskey(triedFactor(input), input.purpose ?? 'sign_in')) return false
  if (!isKeptByCode(browser, input.unknownBrowser)) return true
  // Without a key to keep, or where no browser helps, the code would be used up for nothing.
  if (input.redeem?.browser?.publicKey === undefined) return false
  return !(await needsPasskey(db, startContext, policyOf(domain, input, 'kept')))
}

/** Only a passkey would do: nothing is sent to a device, and a code is neither checked, used up nor counted. */
async function refuse(call: Call, db: Queryable, startContext: StartContext): Promise<Started> {
  const { input, domain } = startContext
  const factor = triedFactor(input)
  // A browser that is kept would not help where the domain or the app wants a passkey in any case.
  const anywhere = await needsPasskey(db, startContext, policyOf(domain, input, 'kept'))
  const outcome = denied(anywhere ? 'phishing_resistance_required' : 'unknown_browser', call.clock.now())
  return { session: await insertSession(db, { ...blank(call, startContext), factor, ...outcome }) }
}

/** E-mailed codes count as `otp`, as they cannot be told apart before they are checked. */
const triedFactor = (input: NewSessionInput) => (isByCode(input) ? meantFactor(input) : 'push')

interface Asking extends StartContext {
  readonly deviceId: string
}

/**
 * Sends a request to the device. If the domain requires a number that the caller cannot show, the session is denied at once.
 */
async function ask(call: Call, db: Queryable, request: Asking): Promise<Started> {
  const { input, domain, user, deviceId } = request
  const now = call.clock.now()
  if (domain.numberMatching === 'required' && !input.numberMatching) {
    logNumberless(call, domain)
    return { session: await insertSession(db, { ...blank(call, request), ...denied('push_failed', now) }) }
  }
  const session = blank(call, request)
  const { binding } = input
  const replaced = binding === undefined ? [] : await replace(call, db, { ...session, binding })
  const numbered = domain.numberMatching !== 'off' && input.numberMatching
  const [, number] = await Promise.all([
    takePush(call, db, session),
    numbered ? freeNumber(call, db, domain, user) : null,
  ])
  const scanSecret = number === null ? undefined : random128(call.random)
  const scanHash = scanSecret === undefined ? null : scanHashOf(scanSecret)
  const isEnrolling = input.enrolling === true && (await greetDevice(db, deviceId))
  const passedBefore = isEnrolling ? null : request.passedBefore
  const row = {
    ...session,
    network: limitedNetwork(session),
    deviceId,
    number,
    scanHash,
    binding: binding ?? null,
    passedBefore,
  }
  return { session: await insertSession(db, row), replaced, scanSecret }
}

/** The caller only learns that the request was denied: in 1.3 there are no reasons. */
function logNumberless(call: Call, { id: domain }: DomainRow): void {
  if (!call.logLimit.admits(`no number ${domain}`)) return
  const sentence =
    'a request was denied, because the domain requires a number that people type, and the caller shows none'
  call.logger.warn({ domain }, sentence)
}

/** A newer request of the same browser is the one that the person is looking at. What it has used up of limits stays used up. */
async function replace(
  call: Call,
  db: Queryable,
  asker: Parameters<typeof cancelReplaced>[1],
): Promise<readonly SessionRow[]> {
  const replaced = await cancelReplaced(db, asker, call.clock.now())
  for (const session of replaced) await auditSession(db, call, session, call)
  return replaced
}

async function freeNumber(call: Call, db: Queryable, domain: DomainRow, user: UserRow): Promise<string> {
  const now = call.clock.now()
  const number = newMatchingNumber(call.random, await pendingNumbers(db, user.id, now))
  const limit = 'all numbers are in use by pending requests of the user'
  if (number === undefined) throw tooManyRequests({ limit, wait: domain.requestTimeout, now })
  return number
}

/** Settles at once. A wrong code is denied, without a hint which part was wrong. */
async function byCode(
  call: Call,
  db: Queryable,
  startContext: StartContext & Pick<GivenCode, 'passkeyNeeded'>,
): Promise<Started> {
  const { input, user, domain, budget } = startContext
  const codeRequest = { ...startContext, ...input, user }
  const trying = { user, domainId: domain.id, budget, challenge: input.challenge }
  const tried = await withinBudget(call, db, trying, () => checkCode(call, db, codeRequest))
  const now = call.clock.now()
  const session = blank(call, startContext)
  if (tried.right) {
    // A weak factor counts although it was never enrolled: from now on the password alone is not enough to enroll one.
    if (!isStrong(tried.right.factor)) await enrollUser(db, call, { userId: user.id, strong: false }, call)
    // Only a code that was handed over is right where a passkey is needed.
    const isKept = startContext.passkeyNeeded && isKeptByCode(session.browser, input.unknownBrowser)
    const browser = isKept ? 'keeping' : session.browser
    const approved = { state: 'approved', ...tried.right, browser, settledAt: now } as const
    return { session: await insertSession(db, { ...session, ...approved }) }
  }
  const reason = (await isNotHandedOver(call, db, codeRequest)) ? 'phishing_resistance_required' : 'wrong_code'
  const wrong = { factor: meantFactor(input), ...denied(reason, now) }
  return { session: await insertSession(db, { ...session, ...wrong }), tryState: tried.tryState }
}

/** Settles at once. Nothing has to be counted: an answer cannot be guessed. */
async function byPasskey(
  call: Call,
  db: Queryable,
  startContext: StartContext,
  assertion: PresentedPasskey,
): Promise<Started> {
  const now = call.clock.now()
  const session = blank(call, startContext)
  const right = await usePasskey(call, db, assertion, {
    challenge: startContext.input.challenge,
    purpose: session.purpose,
  })
  const outcome = right
    ? ({ state: 'approved', ...right, settledAt: now } as const)
    : ({ factor: 'passkey', ...denied('wrong_passkey', now) } as const)
  return { session: await insertSession(db, { ...session, ...outcome }) }
}

const denied = (reason: SessionReason, now: number) => ({ state: 'denied', reason, settledAt: now }) as const

/** The columns of a session that describe the request that creates it. */
type SignInInput = Pick<
  NewSessionInput,
  'attributes' | 'ipAddress' | 'challenge' | 'purpose' | 'phishingResistant' | 'unknownBrowser'
>

type Blank = Omit<StartContext, keyof Prepared | 'input' | 'keptBrowser' | 'passedBefore'> & {
  readonly input: SignInInput
  readonly keptBrowser?: string | null
}

/** A pending session that is not sent to any device yet. */
export function blank(call: Call, { input, domain, user, budget, browser, keptBrowser = null }: Blank) {
  const now = call.clock.now()
  return {
    id: newIdOfTime(call.random, now),
    domainId: domain.id,
    userId: user.id,
    state: 'pending',
    nonce: random128(call.random),
    attributes: JSON.stringify(input.attributes ?? []),
    ipAddress: input.ipAddress ?? null,
    challenge: input.challenge ?? null,
    purpose: input.purpose ?? 'sign_in',
    knownBrowser: budget === 'known' ? 1 : 0,
    phishingResistant: requestedPolicy(policyOf(domain, input, browser)) ?? null,
    browser,
    keptBrowser,
    createdAt: now,
    expiresAt: now + domain.requestTimeout,
  } as const
}
