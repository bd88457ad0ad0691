import type { Cluster, Person, VerifiedSession } from './cluster.ts'
import { approves, isDenied, sharesCode } from './sign-ins.ts'
import type { SignIn } from './sign-ins.ts'

export interface People {
  readonly approving: readonly Person[]
  readonly denying: readonly Person[]
  /** They have codes that work once, each of which is typed in two browsers. */
  readonly typing: readonly Person[]
}

export interface SignIns {
  readonly approved: readonly SignIn[]
  readonly denied: readonly SignIn[]
  readonly typed: readonly SignIn[]
}

/** How many codes each of those who type was given so far: none of them lets in twice. */
const codesOf = new WeakMap<Person, number>()

export async function enrollPeople(cluster: Cluster, counts: Record<keyof People, number>): Promise<People> {
  const several = async (kind: string, count: number) => {
    const people: Person[] = []
    for (let index = 0; index < count; index += 1) people.push(await cluster.enroll(`${kind} ${index}`))
    return people
  }
  return {
    approving: await several('approves', counts.approving),
    denying: await several('denies', counts.denying),
    typing: await several('types', counts.typing),
  }
}

/** All sign in at once; in the middle of it, as soon as half of those who approve are asked, something goes wrong. */
export async function disturbedSignIns(
  cluster: Cluster,
  people: People,
  disturb: () => Promise<void>,
): Promise<SignIns> {
  const codes = await Promise.all(people.typing.map((person) => giveCode(cluster, person)))
  let askedCount = 0
  let disturbing: Promise<void> | undefined
  const onAsked = () => {
    askedCount += 1
    if (askedCount * 2 >= people.approving.length) disturbing ??= disturb()
  }
  const [approved, denied, codeSignIns] = await Promise.all([
    Promise.all(people.approving.map((person) => approves(cluster, person, onAsked))),
    Promise.all(people.denying.map((person) => isDenied(cluster, person))),
    Promise.all(people.typing.map((person, index) => sharesCode(cluster, person, codes[index] ?? ''))),
  ])
  await disturbing
  return { approved, denied, typed: codeSignIns.flat() }
}

async function giveCode(cluster: Cluster, person: Person): Promise<string> {
  const path = `/users/${person.id}/bypasscodes`
  const { status, json } = await cluster.call('POST', path, { body: { usesAllowed: 1, expirationTime: 0 } })
  if (status !== 200) throw new Error(`no code: ${JSON.stringify(json)}`)
  codesOf.set(person, (codesOf.get(person) ?? 0) + 1)
  return json.code
}

/**
 * Of all web sessions that are verified: those whose request was not approved on the phone of the person who is signed in,
 * or that share an approval with another one, or that are more than there were codes.
 */
export async function findWronglyVerified(
  cluster: Cluster,
  { approving, denying, typing }: People,
): Promise<readonly VerifiedSession[]> {
  const all = new Map([...approving, ...denying, ...typing].map((person) => [person.username, person]))
  const byCode = new Map<string, number>()
  const used = new Set<string>()
  return (await cluster.verifiedSessions()).filter((session) => {
    const person = all.get(session.username)
    const { sessionId } = session
    if (!person || sessionId === undefined || used.has(sessionId)) return true
    used.add(sessionId)
    if (session.factor === 'push') return !person.approved.has(sessionId)
    byCode.set(person.username, (byCode.get(person.username) ?? 0) + 1)
    return session.factor !== 'bypass' || (byCode.get(person.username) ?? 0) > (codesOf.get(person) ?? 0)
  })
}
