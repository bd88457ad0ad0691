import type { IncomingMessage } from 'node:http'

import type { Challenge } from '../../challenge/challenge.ts'
import { readMfaState } from './web-session.ts'

/** All challenges of the web session, whichever browser they belong to. */
export function openChallenges(req: IncomingMessage): readonly Challenge[] {
  // Without a binding to compare, each challenge is that of another browser.
  return readMfaState(req).otherChallenges ?? []
}
