import { SetupError } from '../../service-handle.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import { sessionIdOf } from './session-state.ts'

/** The steps with which a web session gets a new id. */
interface Steps {
  /** Begins an empty web session. */
  readonly renew: () => Promise<void>
  /** Copies the data of the former one: that must not bring its id back, as a copy of all members of @fastify/session does. */
  readonly copyData: () => void
}

/**
 * Renews a web session, and makes sure that it got another id: whoever has planted or copied the former one would be verified as well
 * (session fixation, CWE-384).
 *
 * @throws {SetupError} if the id is the same: nothing has been verified yet.
 */
export async function underNewId(req: HttpRequest, { renew, copyData }: Steps): Promise<void> {
  const before = sessionIdOf(req)
  const check = () => {
    if (before !== undefined && sessionIdOf(req) === before) throw new SetupError(keptId)
  }
  await renew()
  check()
  copyData()
  check()
}

const keptId =
  'mfa: the web session kept its id when it was renewed, so nobody was verified. Have session.regenerate() give it a new one: look at ' +
  'the option genid of express-session, or at what stands in for it'
