import type { FactorRow, ReadFactors } from './files/factor-row.ts'

/** Whether a seed, in hexadecimal, is shorter than RFC 4226 requires (section 4, R6): 128 bits. */
export const isShortSeed = (seed: string): boolean => seed.length < 32

/** Which row counts if a person is in a file more than once. */
export type Keep = 'newest' | 'oldest'

type Readable = FactorRow & ReadFactors

/**
 * One row a person: rows that say the same count as one, and others are rejected, unless it is said which of them counts. Two apps of one
 * person may be a lost phone and its successor, and nobody can tell by the rows.
 */
export function onePerPerson(rows: readonly FactorRow[], keep?: Keep): FactorRow[] {
  const people = new Map<string, Readable[]>()
  for (const row of rows) {
    if ('reason' in row) continue
    const ofPerson = people.get(row.username)
    if (ofPerson) ofPerson.push(row)
    else people.set(row.username, [row])
  }
  const choices = new Map<string, Choice>()
  for (const [username, ofPerson] of people) if (ofPerson.length > 1) choices.set(username, choose(ofPerson, keep))
  return rows.flatMap((row) => {
    const choice = 'reason' in row ? undefined : choices.get(row.username)
    if (!choice || row === choice.chosen) return [row]
    return choice.reason === undefined ? [] : [{ line: row.line, reason: choice.reason }]
  })
}

/** The row that counts, or why none does. */
interface Choice {
  readonly chosen?: Readable | undefined
  readonly reason?: string
}

function choose(ofPerson: readonly Readable[], keep: Keep | undefined): Choice {
  const [first] = ofPerson
  const distinct = new Set(ofPerson.map(({ app, serialNumber }) => JSON.stringify([app, serialNumber])))
  if (distinct.size === 1) return { chosen: first }
  const several = `the file has ${distinct.size} apps of this person, the first at line ${first?.line}`
  if (keep === undefined) return { reason: `${several}: --keep newest or --keep oldest chooses` }
  const times = ofPerson.map(({ createdAt }) => createdAt)
  if (times.includes(undefined)) return { reason: `${several}, and does not say of each when it was made (createdAt)` }
  const sorted = ofPerson.toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt))
  const [chosen, next] = keep === 'newest' ? [sorted.at(-1), sorted.at(-2)] : sorted
  return chosen?.createdAt === next?.createdAt ? { reason: `${several}, made at the same time` } : { chosen }
}
