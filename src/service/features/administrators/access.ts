import { answerFormat } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Access } from '../../engine/http/access.ts'
import type { RateLimiter } from '../../engine/http/rate-limit.ts'
import type { ConsoleAddress } from '../../engine/front/console-address.ts'
import { networkOf } from '../../engine/base/network.ts'
import { authorizeAdministrator } from './authorize.ts'
import { consoleCookie } from './cookie.ts'
import { expectedOf } from './expected.ts'
import { requireSameOrigin } from './same-origin.ts'
import { findSignedIn, noteUse } from './sessions.ts'

interface ConsoleAccessOptions {
  readonly vendor: Vendor
  readonly address: ConsoleAddress
  readonly openIdIssuer?: (() => string | undefined) | undefined
  readonly rates: ConsoleRates
}

/** Rate limits. No caller spends one that another caller needs. */
export interface ConsoleRates {
  readonly bySession: RateLimiter
  /** The limit of sign-ins and registrations, by the passkey or the invitation that they name. */
  readonly byNamed: RateLimiter
  /** The limit of those that name neither. */
  readonly byAddress: RateLimiter
}

/** Access with the cookie of a console session, and with nothing else: API keys are not read. */
export function consoleAccess(
  ctx: ServiceContext,
  { vendor, address, openIdIssuer, rates }: ConsoleAccessOptions,
): Access {
  const { origin, rpId } = address
  const cookie = consoleCookie(origin)
  return {
    formatOf({ accept }) {
      const format = answerFormat(vendor, { accept })
      return format && { ...format, version: '1.4' }
    },
    async admit({ method, headers, address: from }, limits) {
      const hash = cookie.read(headers.cookie)
      const administrator = hash === undefined ? undefined : await findSignedIn(ctx, hash)
      // To refuse an anonymous request costs as much as to say that it needs a session, so only operations without one count them.
      if (administrator) Object.assign(limits, rates.bySession.take(administrator.session.hash))
      requireSameOrigin(method, headers, origin)
      const expected = expectedOf(administrator, headers)
      // A page that waits for changes repeats its request without the person.
      if (expected && headers.prefer === undefined) await noteUse(ctx, expected)
      const id = administrator?.id ?? 'unknown'
      return {
        id,
        caller: {
          organizationId: administrator?.organizationId ?? '',
          actor: { kind: 'administrator', id },
          role: 'admin',
          limitedTo: null,
          console: {
            origin,
            rpId,
            openIdIssuer,
            administrator,
            countUnsigned(organization) {
              if (organization === undefined) rates.byAddress.take(networkOf(from))
              else rates.byNamed.take(organization)
            },
          },
        },
        authorize: (endpoint, params) => authorizeAdministrator(ctx, expected, endpoint, params),
        // Each change decides again, in its transaction: see `change.ts`.
        requireUnchanged: () => Promise.resolve(),
      }
    },
  }
}
