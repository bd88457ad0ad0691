import type * as contract from '../../contract/admin/domains.ts'
import { DomainSettings } from '../../contract/admin/domains.ts'
import { removeDomainImage, setDomainImage } from '../admin/domain-images.ts'
import { addDomain, changeDomain } from '../admin/domains.ts'
import { NameTakenError, RefusalError } from '../admin/errors.ts'
import { readOlder, settling } from '../audit/pages.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'
import { defaultImage } from '../rules/default-image.ts'
import { settingsVersion } from '../rules/settings-version.ts'
import { domainById, domainsOf, imageOfDomain } from '../store/domains.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Queryable } from '../store/schema.ts'
import { domainView } from '../views/views.ts'
import { signedIn } from './call.ts'
import { enrollments } from './enrollments.ts'
import { domainsFor } from './scope.ts'

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

export const create: Handler<typeof contract.createAdminDomain> = async (settings, call) => {
  const { id } = await refusable(addDomain(call, call.organizationId, settings))
  return show(call, id)
}

export const change: Handler<typeof contract.changeAdminDomain> = async ({ domainId, ...settings }, call) => {
  const version = expectedVersion(call)
  await refusable(
    changeDomain(call, call.organizationId, domainId, settings, async (db, present) => {
      if (settingsVersion(settingsIn(present)) !== version) throw await changedMeanwhile(db, call, domainId)
    }),
  )
  return show(call, domainId)
}

export const image: Handler<typeof contract.getAdminDomainImage> = async ({ domainId }, call) =>
  (await imageOfDomain(call.store.db, domainId)) ?? defaultImage()

export const setImage: Handler<typeof contract.setAdminDomainImage> = async ({ domainId, png }, call) => {
  await refusable(setDomainImage(call, call.organizationId, domainId, Buffer.from(png, 'base64')))
}

export const removeImage: Handler<typeof contract.removeAdminDomainImage> = async ({ domainId }, call) => {
  await removeDomainImage(call, call.organizationId, domainId)
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

/** What administrators change, and the id. */
const settingsIn = (row: DomainRow) => Settings.parse(domainView(row))

/** The version in `If-Match`, in quotes. */
function expectedVersion({ http }: Call): string {
  const [, version] = /^"([\w-]{1,64})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return version
  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the domain, in quotes.')
}

/** Names the last change: the fields, when, and by whom. */
async function changedMeanwhile(db: Queryable, call: Call, domainId: string): Promise<ApiProblem> {
  const { organizationId } = signedIn(call)
  const query = { organizationId, domainIds: [domainId], event: 'domain.changed', facts: {} }
  const { rows } = await readOlder(db, query, undefined, call.clock.now() + settling)
  const [last] = rows
  const fields = last === undefined ? undefined : (JSON.parse(last.facts) as { readonly fields?: string }).fields
  const what =
    last === undefined
      ? ''
      : `: ${fields ?? 'settings'} at ${new Date(last.at * 1000).toISOString()} by ${last.actorKind} ${last.actorId}`
  return new ApiProblem('api.error.precondition', `If-Match: the domain was changed meanwhile${what}. Read it again.`)
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
