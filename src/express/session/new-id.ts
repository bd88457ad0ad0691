import type { IncomingMessage } from 'node:http'

import { SetupError } from '../../service-handle.ts'

/**
 * Renews a web session, and makes sure that it got another id: whoever has planted or copied the former one would be verified as well
 * (session fixation, CWE-384).
 *
 * @throws {SetupError} if the id is the same: nothing has been verified yet.
 */
export async function underNewId(
  req: IncomingMessage,
  idOf: (req: IncomingMessage) => string | undefined,
  renew: () => Promise<void>,
): Promise<void> {
  const before = idOf(req)
  await renew()
  if (before === undefined || idOf(req) !== before) return
  throw new SetupError(
    'mfa: the web session kept its id when it was renewed, so nobody was verified. Have session.regenerate() give it a new one: look at ' +
      'the option genid of express-session, or at what stands in for it',
  )
}
