import type { z } from 'zod'

import type { Clock } from '../../../ground/clock.ts'
import { createLogLimit } from '../base/log-limit.ts'
import type { Logger } from '../base/logger.ts'
import { unknownMembers } from './unknown-members.ts'

/**
 * Version 1.3 ignores members that it does not know, such as those of 1.4. One log line for each API key and day says so, because the
 * caller cannot see it.
 */
export type NoteIgnoredMembers = (caller: BodyCaller, schema: z.ZodType, body: unknown) => void

interface BodyCaller {
  /** The id of the API key. */
  readonly id: string
  readonly operation: string
  readonly logger: Logger
}

/** The most names in a line. */
const maxNames = 10

/** Seconds. */
const day = 86_400

export function createIgnoredMembers(clock: Pick<Clock, 'now'>): NoteIgnoredMembers {
  const limit = createLogLimit(clock, day)
  return ({ id, operation, logger }, schema, body) => {
    const names = [...unknownMembers(schema, body)]
    if (names.length === 0 || !limit.admits(id)) return
    const members = names.filter((name) => isName(name)).slice(0, maxNames)
    logger.warn({ apiKey: id, operation, members, others: names.length - members.length }, sentence)
  }
}

const sentence =
  'version 1.3 ignored members of a body that it does not know; a caller that means version 1.4 asks for it in Accept or Content-Type'

/** Whatever else a member is named may be a secret, or the data of a person, as in a body that was turned inside out. */
const isName = (name: string): boolean => /^[a-z][a-z_.]{0,39}$/i.test(name)
