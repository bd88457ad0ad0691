import { parseKeyRing } from '../../../../src/service/engine/secrets/key-ring.ts'
import { parseOptions } from '../../../../src/contract/validate.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { TestClock } from '../../../../src/testing/clock.ts'

/** `k1` … `k9`, as people write them. */
export const key = (id: string): string => `${id}:${Buffer.alloc(32, id).toString('base64')}`

/** Several of them, the first one for writing. */
export const ring = (...ids: readonly string[]): string => ids.map((id) => key(id)).join(',')

export const ringOf = (...ids: readonly string[]) => parseKeyRing(ring(...ids))

/** A node as commands are one: it has the database open, and no door. */
export function openNode(database: string, keys: string, clock: TestClock) {
  return openService(parseOptions(ServiceOptions, 'createService', { database, keys, clock, push: false }))
}
