import type { IncomingHttpHeaders } from 'node:http'

import { expectedAdministrator } from '../../../admin-contract/expected-administrator.ts'
import type { SignedIn } from '../../engine/context/caller.ts'

/**
 * The administrator who has signed in, if it is the one whom the page shows. Pages of a browser share a cookie: a page that was opened
 * before another administrator signed in would otherwise act in that one's name.
 */
export function expectedOf(administrator: SignedIn | undefined, headers: IncomingHttpHeaders): SignedIn | undefined {
  const expected = headers[expectedAdministrator]
  return expected === undefined || expected === administrator?.id ? administrator : undefined
}
