import type { MfaOptions } from 'second-factor'

import type { Victim, Way } from './victim.ts'

/** A row of the threat model: what an app asks for. Under each of them, no way lets the relay in. */
export const closedRows: readonly (readonly [row: string, options: Partial<MfaOptions>])[] = [
  ["phishingResistant: 'require'", { phishingResistant: 'require' }],
  ["phishingResistant: 'prefer', for a user with a passkey", { phishingResistant: 'prefer' }],
  ["unknownBrowser: 'passkey'", { unknownBrowser: 'passkey' }],
  ["unknownBrowser: 'deny'", { unknownBrowser: 'deny' }],
]

export const ways: readonly Way[] = [
  'the number, typed',
  'the number, scanned',
  'the link on the phone',
  'a code',
  'the passkey',
]

export interface Visits {
  readonly options: Partial<MfaOptions>
  /** In turn. */
  readonly ways: readonly Way[]
  /** In all. */
  readonly count: number
}

/** @returns how many visits let the relay in. */
export async function countSessions(victim: Victim, { options, ways: tried, count }: Visits): Promise<number> {
  const { visit } = await victim.at(options)
  let sessions = 0
  for (let number = 0; number < count; number += 1) {
    const { isIn } = await visit(tried[number % tried.length]!)
    if (isIn) sessions += 1
  }
  return sessions
}
