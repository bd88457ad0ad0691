import { DomainChanges as Changes, NewDomain as Settings } from '../../../admin-contract/domain-settings.ts'
import { Domain, mapSwitches } from '../../../contract/domains.ts'
import type { NumberMatching } from '../../../contract/domains.ts'
import type { PhishingResistance } from '../../../contract/phishing-resistance.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { parseOptions } from '../../../contract/validate.ts'
import { newId } from '../../engine/base/random.ts'
import { domainView } from './view.ts'
import { domainById, domainByName, domainsOf, insertDomain, updateDomain } from './statements.ts'
import type { DomainChanges as Columns, DomainRow } from './statements.ts'
import type { Fact, Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { NameTakenError, RefusalError } from '../../engine/base/errors.ts'

/** Options of `createDomain()`. */
export interface NewDomain {
  /** The name, which users see on their device; 128 characters at most. */
  name: string
  /**
   * The kind of app that the domain protects.
   * @default `'WEB'`
   */
  type?: 'RADIUS' | 'WEB' | 'PAM' | 'OTHER' | undefined
  /**
   * What users type on their device before they approve.
   * @default `'NONE'`
   */
  keyType?: 'NONE' | 'PIN' | 'PASSCODE' | undefined
  /**
   * How long a request waits for the user, seconds; 10 to 600.
   * @default `90`
   */
  requestTimeout?: number | undefined
  /**
   * How long an activation code is valid, days; 1 to 365.
   * @default `7`
   */
  activationCodeExpiration?: number | undefined
  /**
   * The number of wrong PINs after which a token is revoked; 1 to 20.
   * @default `5`
   */
  maxAllowedRetries?: number | undefined
  /** Whether devices may poll for requests. */
  requestPollingEnabled?: boolean | undefined
  /**
   * Whether bypass codes are accepted.
   * @default `true`
   */
  bypassEnabled?: boolean | undefined
  /**
   * Whether e-mailed codes are accepted, the weakest factor.
   * @default `false`
   */
  emailOtpEnabled?: boolean | undefined
  /**
   * Whether users type a number on their device: never, where the caller asks for it, or always.
   * @default `'offered'`
   */
  numberMatching?: NumberMatching | undefined
  /**
   * Whether only passkeys count: never, for users who have one (`prefer`), or always (`require`). RADIUS and PAM domains
   * cannot have it, because their clients cannot use passkeys.
   * @default `'off'`
   */
  phishingResistant?: PhishingResistance | undefined
}

/** Options of `setDomain()`. Absent options stay unchanged. */
export type DomainChanges = { [Rule in keyof NewDomain]?: NewDomain[Rule] | undefined }

/** Options are checked by the schemas of the contract. */
export const NewDomain = Settings
export const DomainChanges = Changes

/** @param id An id that callers already use; a new one if absent. */
export async function addDomain(
  ctx: Acting,
  organizationId: string,
  input: NewDomain,
  id: string = newId(ctx.random),
): Promise<Domain> {
  const { db } = ctx.store
  const options = parseOptions(NewDomain, 'createDomain', input)
  refuseWithoutPasskeys(options)
  const row = {
    ...options,
    ...mapSwitches((name) => fact(options[name])),
    id,
    organizationId,
    appName: null,
    createdAt: ctx.clock.now(),
    synchronizationTicket: 0,
    synchronizationApplied: 0,
  }
  await inTransaction(db, async (tx) => {
    if (!(await insertDomain(tx, row))) throw nameTaken(options.name)
    await audit(tx, ctx, { event: 'domain.created', organizationId, facts: { domain: row.id } })
  })
  return show(row)
}

/** Sorted by name. */
export async function listDomains(ctx: ServiceContext, organizationId: string): Promise<Domain[]> {
  return (await domainsOf(ctx.store.db, organizationId)).map((row) => show(row))
}

/** Checks in the transaction of a change whether the domain may be changed, as it is. Throws if not. */
type Accept = (db: Queryable, domain: DomainRow) => Promise<void>

/** @throws {RefusalError} if existing tokens do not allow the change. */
export async function changeDomain(
  ctx: Acting,
  organizationId: string,
  id: string,
  input: DomainChanges,
  accept: Accept = () => Promise.resolve(),
): Promise<Domain> {
  const changes = parseOptions(DomainChanges, 'setDomain', input)
  return inTransaction(ctx.store.db, async (db) => {
    const domain = await domainById(db, organizationId, id)
    if (!domain) throw new RangeError('domainId: no such domain')
    await accept(db, domain)
    const namesake = changes.name === undefined ? undefined : await domainByName(db, organizationId, changes.name)
    if (namesake && namesake.id !== id) throw nameTaken(namesake.name)
    refuseWithoutPasskeys({
      type: changes.type ?? domain.type,
      phishingResistant: changes.phishingResistant ?? domain.phishingResistant,
    })
    if (!(await updateDomain(db, id, columns(changes)))) throw keyTypeInUse(domain.keyType)
    const changed = (await domainById(db, organizationId, id)) ?? domain
    const fields = changedFields(domain, changed)
    if (fields !== '') await audit(db, ctx, { event: 'domain.changed', organizationId, facts: { domain: id, fields } })
    return show(changed)
  })
}

/** @throws {RefusalError} for a policy that would lock every user with a passkey out, as their clients cannot use it. */
export function refuseWithoutPasskeys({ type, phishingResistant = 'off' }: Omit<NewDomain, 'name'>): void {
  if (phishingResistant === 'off' || (type !== 'RADIUS' && type !== 'PAM')) return
  throw new RefusalError(
    `A domain of type ${type} cannot be phishing-resistant (${phishingResistant}), because ${type} clients cannot use passkeys. ` +
      'Use a domain of another type, or the policy off.',
  )
}

/** Returns a domain in the form of the REST interface. */
const show = (row: DomainRow): Domain => Domain.parse(domainView(row))

function changedFields(before: DomainRow, after: DomainRow): string {
  const fields = Object.keys(after) as (keyof DomainRow)[]
  return fields.filter((field) => before[field] !== after[field]).join(',')
}

const columns = (changes: DomainChanges): Columns => ({
  ...changes,
  ...mapSwitches((name) => (changes[name] === undefined ? undefined : fact(changes[name]))),
})

const fact = (value: boolean): Fact => (value ? 1 : 0)

const nameTaken = (name: string) => new NameTakenError(`A domain named "${name}" already exists.`)

/** Devices learn at activation whether to ask for a PIN. Changing it later would not reach them. */
const keyTypeInUse = (currentType: string) =>
  new RefusalError(
    `The key type ${currentType} cannot be changed, because devices were activated with it. Revoke the tokens of the domain first.`,
  )
