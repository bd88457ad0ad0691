import { isHandedOver } from '../../../contract/factor-descriptions.ts'
import type { ChangedFactor, ChangeRequirement } from '../../../contract/factors.ts'
import { countsUnder, stricter } from '../../../contract/phishing-resistance.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { factorsForChange, mayChange, mayMakeFirstCodes } from './rules.ts'
import type { FirstCodes, OwnedFactors } from './rules.ts'
import { userView } from '../users/view.ts'
import { belongings } from '../users/belongings.ts'
import { domainById } from '../domains/statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import { activeDevicesOfUser } from './notice-statements.ts'
import { hardwareTokenOfUser, passkeysOfUser } from './possessions.ts'
import { memberBy } from '../users/member-statements.ts'
import { factorsInDomain, isInForce, redeemedSession } from './passes.ts'
import type { PassedFactor } from './passes.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { UserRow } from '../users/statements.ts'

interface Change {
  readonly userId: string
  readonly changed: ChangedFactor
  /** Id of the session that was approved for this change. */
  readonly pass: string | undefined
  /** The relying party whose passkeys count in the domain; by default, those of any do. */
  readonly rpId?: string | undefined
  /** The domain in which the user passed and asks for the change. */
  readonly domainId: string
}

/** The factor that allows a change, with its user and domain. */
export interface Grant extends PassedFactor {
  readonly domain: DomainRow
  readonly user: UserRow
}

/**
 * The only check of whether a user may change factors. Runs in the transaction of the change, after the user is locked, so
 * that a factor that was removed a moment ago no longer allows changes.
 *
 * @throws {ApiProblem} `api.error.conflict.pass`
 */
export async function requirePass(db: Queryable, caller: Caller, change: Change): Promise<Grant> {
  const grant = await findGrant(db, caller, change)
  if (!grant) throw new ApiProblem('api.error.conflict.pass')
  return grant
}

/** The factors that allow a change in the domain, and whether a pass allows it now. */
export async function changeRequirement(
  db: Queryable,
  caller: Caller,
  { domain, user, changed, pass, rpId }: Omit<Change, 'userId' | 'domainId'> & Pick<Grant, 'domain' | 'user'>,
): Promise<ChangeRequirement> {
  const factors = await ownedFactors(db, { domain, user, rpId }, caller.clock.now())
  const grant = await findGrant(db, caller, { userId: user.id, changed, pass, rpId, domainId: domain.id })
  return { factors: factorsForChange(changed, factors), passed: grant !== undefined }
}

async function findGrant(db: Queryable, caller: Caller, change: Change): Promise<Grant | undefined> {
  const { userId, changed, pass, rpId } = change
  const now = caller.clock.now()
  const session = pass === undefined ? undefined : await redeemedSession(db, { id: pass, userId })
  if (!session || session.settledAt === null || session.factor === null) return undefined
  if (session.domainId !== change.domainId) return undefined
  const domain = await domainById(db, caller.organizationId, session.domainId)
  const user =
    domain && (await memberBy(db, { organizationId: caller.organizationId, domainId: domain.id }, { id: userId }))
  if (!domain || !user) return undefined
  const { purpose, settledAt, factor, factorId } = session
  // The code of an administrator kept a browser, and that was all it was for.
  if (isHandedOver(factor) && session.browser === 'keeping') return undefined
  if (!countsUnder(domain.phishingResistant, session)) return undefined
  const grant = { domain, user, factor, factorId }
  const passed = { purpose, settledAt, factor, factorId, inForce: await isInForce(db, grant, now) }
  if (changed === 'codes' && mayMakeFirstCodes(passed, await firstCodesOf(db, user), now)) return grant
  const allows = mayChange(
    changed,
    passed,
    {
      ...(await ownedFactors(db, { ...grant, rpId }, now)),
      phishingResistant: stricter(session.phishingResistant, domain.phishingResistant),
    },
    now,
  )
  return allows ? grant : undefined
}

async function firstCodesOf(db: Queryable, { id, hadCodes }: UserRow): Promise<FirstCodes> {
  const hardware = await hardwareTokenOfUser(db, id)
  const factors = [
    ...(await activeDevicesOfUser(db, id)),
    ...(await passkeysOfUser(db, id)),
    ...(hardware ? [hardware] : []),
  ]
  return { hadCodes: hadCodes === 1, factorIds: factors.map((factor) => factor.id) }
}

async function ownedFactors(
  db: Queryable,
  { domain, user, rpId }: Pick<Grant, 'domain' | 'user'> & Pick<Change, 'rpId'>,
  now: number,
): Promise<OwnedFactors> {
  const has = (await belongings(db, [user.id], now)).get(user.id)
  const { passkeyRpIds = [] } = has ?? {}
  const hasPasskey = rpId === undefined ? passkeyRpIds.length > 0 : passkeyRpIds.includes(rpId)
  const otherFactors = await factorsInDomain(db, { domain, user }, now)
  return {
    inApp: hasPasskey ? ['passkey', ...otherFactors] : otherFactors,
    anywhere: userView(user, has).factors ?? [],
    everStrong: user.strongEnrolled === 1,
    phishingResistant: domain.phishingResistant,
  }
}
