import type { MfaOptions } from 'second-factor'

import { startVictim } from './victim.ts'
import type { Way } from './victim.ts'

/** A row of the threat model: what an app asks for. Under each of them, no way lets the relay in. */
export const closedRows: readonly (readonly [row: string, options: Partial<MfaOptions>])[] = [
  ["phishingResistant: 'require'", { phishingResistant: 'require' }],
  ["phishingResistant: 'prefer', for a user with a passkey", { phishingResistant: 'prefer' }],
  ["unknownBrowser: 'passkey'", { unknownBrowser: 'passkey' }],
  ["unknownBrowser: 'deny'", { unknownBrowser: 'deny' }],
]

/** Each way in turn, so many visits in all. @returns how many let the relay in. */
export async function countSessions(options: Partial<MfaOptions>, visits: number): Promise<number> {
  const { visit, ways } = await startVictim(options)
  const names = Object.keys(ways) as Way[]
  let sessions = 0
  for (let count = 0; count < visits; count += 1) {
    const { isIn } = await visit(names[count % names.length]!)
    if (isIn) sessions += 1
  }
  return sessions
}
