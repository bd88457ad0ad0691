import { maxImportedCodes } from '../../../contract/imported-factors.ts'
import { importedForm } from '../bypass-codes/imported.ts'
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
    if (!choice) return [row]
    if (row === choice.chosen) return [choice.recovery ? { ...row, recovery: choice.recovery } : row]
    return choice.reason === undefined ? [] : [{ line: row.line, reason: choice.reason }]
  })
}

/** The row that counts, or why none does. */
interface Choice {
  readonly chosen?: Readable | undefined
  /** The recovery codes of all its rows. */
  readonly recovery?: Readable['recovery']
  readonly reason?: string
}

function choose(ofPerson: readonly Readable[], keep: Keep | undefined): Choice {
  const [first] = ofPerson
  const distinct = new Set(ofPerson.map(({ app, serialNumber }) => JSON.stringify([app, serialNumber])))
  if (distinct.size === 1) {
    const codes = ofPerson.flatMap(({ recovery = [] }) => recovery)
    return { chosen: first, ...(codes.length > 0 && { recovery: codes.slice(0, maxImportedCodes) }) }
  }
  const several = `the file has ${distinct.size} apps of this person, the first at line ${first?.line}`
  if (keep === undefined) return { reason: `${several}: --keep newest or --keep oldest chooses` }
  const times = ofPerson.map(({ createdAt }) => createdAt)
  if (times.includes(undefined)) return { reason: `${several}, and does not say of each when it was made (createdAt)` }
  const sorted = ofPerson.toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt))
  const [chosen, next] = keep === 'newest' ? [sorted.at(-1), sorted.at(-2)] : sorted
  return chosen?.createdAt === next?.createdAt ? { reason: `${several}, made at the same time` } : { chosen }
}

/** Codes that two people of a file have are no secrets, but words around them or placeholders. */
export function withoutSharedCodes(rows: readonly FactorRow[]): FactorRow[] {
  const owners = new Map<string, string | undefined>()
  for (const row of rows) {
    if ('reason' in row) continue
    for (const code of row.recovery ?? []) {
      const form = importedForm(code)
      owners.set(form, owners.has(form) && owners.get(form) !== row.username ? undefined : row.username)
    }
  }
  return rows.map((row) => {
    if ('reason' in row || !row.recovery) return row
    const own = row.recovery.filter((code) => owners.get(importedForm(code)) === row.username)
    const refused = row.recovery.length - own.length
    return refused === 0 ? row : { ...row, recovery: own, recoveryRefused: (row.recoveryRefused ?? 0) + refused }
  })
}
