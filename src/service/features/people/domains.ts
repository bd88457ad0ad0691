import type * as contract from '../../../admin-contract/domains.ts'
import { DomainSettings } from '../../../admin-contract/domains.ts'
import { removeDomainImage, setDomainImage } from '../domains/images.ts'
import { addDomain, changeDomain } from '../domains/administration.ts'
import { NameTakenError, RefusalError } from '../../engine/base/errors.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { defaultImage } from '../domains/image.ts'
import { settingsVersion } from '../domains/rules.ts'
import { domainById, domainsOf, imageOfDomain } from '../domains/statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { domainView } from '../domains/view.ts'
import type { ChangeHandler } from '../administrators/change.ts'
import { enrollments } from './enrollments.ts'
import { expectedVersion, outdated } from '../administrators/if-match.ts'
import { domainsFor } from '../administrators/scope.ts'

export const list: Handler<typeof contract.listAdminDomains> = async (_input, call) => {
  const limited = await domainsFor(call, undefined)
  const rows = await domainsOf(call.store.db, call.organizationId)
  const visible = rows.filter(({ id }) => limited === null || limited.includes(id))
  const { domains } = await enrollments(call, visible)
  const membersOf = new Map(domains.map(({ domain, members }) => [domain, members]))
  return visible.map((row) => {
    const members = membersOf.get(row.id)
    return { ...settingsOf(row), ...(members !== undefined && { members }) }
  })
}

export const get: Handler<typeof contract.getAdminDomain> = ({ domainId }, call) => show(call, domainId)

export const create: ChangeHandler<typeof contract.createAdminDomain> = async (settings, call, decided) => {
  const { id } = await refusable(decided((inside) => addDomain(inside, call.organizationId, settings)))
  return show(call, id)
}

export const change: ChangeHandler<typeof contract.changeAdminDomain> = async (input, call, decided) => {
  const { domainId, ...settings } = input
  const version = expectedVersion(call, 'domain')
  await refusable(
    decided((inside) =>
      changeDomain(inside, call.organizationId, domainId, settings, async (db, domain) => {
        if (settingsVersion(settingsIn(domain)) !== version) throw await changedMeanwhile(db, call, domainId)
      }),
    ),
  )
  return show(call, domainId)
}

export const image: Handler<typeof contract.getAdminDomainImage> = async ({ domainId }, call) =>
  (await imageOfDomain(call.store.db, domainId)) ?? defaultImage()

export const setImage: ChangeHandler<typeof contract.setAdminDomainImage> = ({ domainId, png }, call, decided) => {
  const bytes = Buffer.from(png, 'base64')
  return refusable(decided((inside) => setDomainImage(inside, call.organizationId, domainId, bytes)))
}

export const removeImage: ChangeHandler<typeof contract.removeAdminDomainImage> = async (input, call, decided) => {
  await decided((inside) => removeDomainImage(inside, call.organizationId, input.domainId))
}

async function show(call: Call, id: string): Promise<DomainSettings> {
  const row = await domainById(call.store.db, call.organizationId, id)
  if (!row) throw new ApiProblem('api.error.notfound.domain')
  return settingsOf(row)
}

const settingsOf = (row: DomainRow): DomainSettings => ({
  ...settingsIn(row),
  version: settingsVersion(settingsIn(row)),
})

const Settings = DomainSettings.omit({ version: true })

/** The settings that administrators change, and the id. */
const settingsIn = (row: DomainRow) => Settings.parse(domainView(row))

/** Names the last change: the fields, when, and by whom. */
function changedMeanwhile(db: Queryable, call: Call, domainId: string): Promise<ApiProblem> {
  return outdated(db, call, { noun: 'domain', event: 'domain.changed', domainIds: [domainId], facts: {} })
}

/** A rule of the service that the change would break. */
async function refusable<T>(changed: Promise<T>): Promise<T> {
  try {
    return await changed
  } catch (error) {
    if (error instanceof RefusalError || error instanceof NameTakenError)
      throw new ApiProblem('api.error.conflict.state', error.message, { cause: error })
    throw error
  }
}
