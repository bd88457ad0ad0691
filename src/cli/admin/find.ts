import { getUser, findUsers } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import type { Domain } from '../../contract/domains.ts'
import { Id } from '../../contract/text.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import { ApiProblem } from '../../service/engine/base/problem.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { quote } from '../terminal/print.ts'
import type { LocalService } from './local-service.ts'

/** Finds a domain by its name or id. */
export async function findDomain({ ctx, organization }: LocalService, nameOrId: string): Promise<Domain> {
  const all = await listDomains(ctx, organization.id)
  return pick(all, nameOrId, {
    noun: 'domain',
    names: (domain) => [domain.name, domain.id],
    show: (domain) => `${quote(domain.name)} (${domain.id})`,
  })
}

/** Finds a user by username or id. */
export async function findUser(service: LocalService, nameOrId: string): Promise<User> {
  const [byUsername, byId] = [await userByUsername(service, nameOrId), await userById(service, nameOrId)]
  if (byUsername && byId && byUsername.id !== byId.id)
    throw ambiguous('user', nameOrId, [byUsername.username, byId.username])
  const user = byUsername ?? byId
  if (!user) throw new Failure(`No user ${quote(nameOrId)}. See: second-factor user list`)
  return user
}

interface Description<T> {
  /** The word for it, which is also the name of its command. */
  readonly noun: string
  readonly names: (item: T) => readonly string[]
  readonly show: (item: T) => string
}

/** Picks the item with exactly this name; otherwise the only item with this name in another case, or whose id begins so. */
export function pick<T>(all: readonly T[], nameOrId: string, { noun, names, show }: Description<T>): T {
  const exact = all.filter((item) => names(item).includes(nameOrId))
  const lowerName = nameOrId.toLowerCase()
  const isSimilar = (text: string) => {
    const name = text.toLowerCase()
    return name === lowerName || (Id.safeParse(text).success && lowerName.length >= 6 && name.startsWith(lowerName))
  }
  const matches = exact.length > 0 ? exact : all.filter((item) => names(item).some(isSimilar))
  const [first, ...otherMatches] = matches
  if (first === undefined) throw new Failure(`No ${noun} ${quote(nameOrId)}. See: second-factor ${noun} list`)
  if (otherMatches.length > 0) throw ambiguous(noun, nameOrId, matches.map(show))
  return first
}

function ambiguous(noun: string, nameOrId: string, matches: readonly string[]): Failure {
  const examples = matches.slice(0, 5).join(', ')
  return new Failure(`${quote(nameOrId)} matches more than one ${noun}: ${examples}. Use the whole id.`, exitCode.usage)
}

async function userByUsername({ call }: LocalService, username: string): Promise<User | undefined> {
  const user = await unlessNotFound(call(findUsers, { query: { username } }))
  return Array.isArray(user) ? undefined : user
}

async function userById({ call }: LocalService, text: string): Promise<User | undefined> {
  const id = Id.safeParse(text.toLowerCase())
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
