import { getUser, findUsers } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import type { Domain } from '../../contract/domains.ts'
import { Id } from '../../contract/text.ts'
import { listDomains } from '../../service/admin/domains.ts'
import { ApiProblem } from '../../service/ground/problem.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'
import type { LocalService } from './local-service.ts'
import { quote } from './print.ts'

/** The domain of a name or an id. */
export async function findDomain({ ctx, organization }: LocalService, given: string): Promise<Domain> {
  const all = await listDomains(ctx, organization.id)
  return pick(all, given, {
    what: 'domain',
    names: (domain) => [domain.name, domain.id],
    show: (domain) => `${quote(domain.name)} (${domain.id})`,
  })
}

/** The user of a username or an id. */
export async function findUser(service: LocalService, given: string): Promise<User> {
  const [named, known] = [await userByUsername(service, given), await userById(service, given)]
  if (named && known && named.id !== known.id) throw ambiguous('user', given, [named.username, known.username])
  const user = named ?? known
  if (!user) throw new Failure(`There is no user ${quote(given)}. See: second-factor user list`)
  return user
}

interface Picking<T> {
  readonly what: string
  readonly names: (one: T) => readonly string[]
  readonly show: (one: T) => string
}

/** The one that has the name exactly; else the only one that has it in another case, or an id that begins so. */
export function pick<T>(all: readonly T[], given: string, { what, names, show }: Picking<T>): T {
  const exact = all.filter((one) => names(one).includes(given))
  const wanted = given.toLowerCase()
  const alike = (name: string) => {
    const present = name.toLowerCase()
    return present === wanted || (Id.safeParse(name).success && wanted.length >= 6 && present.startsWith(wanted))
  }
  const found = exact.length > 0 ? exact : all.filter((one) => names(one).some((name) => alike(name)))
  const [first, ...others] = found
  if (first === undefined) throw new Failure(`There is no ${what} ${quote(given)}. See: second-factor ${what} list`)
  if (others.length > 0) throw ambiguous(what, given, found.map(show))
  return first
}

function ambiguous(what: string, given: string, found: readonly string[]): Failure {
  const shown = found.slice(0, 5).join(', ')
  return new Failure(`${quote(given)} may be more than one ${what}: ${shown}. Give the whole id.`, exitCode.usage)
}

async function userByUsername({ call }: LocalService, username: string): Promise<User | undefined> {
  const found = await unlessNotFound(call(findUsers, { query: { username } }))
  return Array.isArray(found) ? undefined : found
}

async function userById({ call }: LocalService, given: string): Promise<User | undefined> {
  const id = Id.safeParse(given.toLowerCase())
  return id.success ? unlessNotFound(call(getUser, { params: { userId: id.data } })) : undefined
}

async function unlessNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}
