import { answerFormat } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../base/problem.ts'
import { remember } from '../base/remember.ts'
import { networkOf } from '../base/network.ts'
import type { Access } from './access.ts'
import { authenticate, unauthorized } from './authenticate.ts'
import type { FindKey, KnownKey } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { RestRequest } from './rest-request.ts'
import { shownCredentials } from './shown-credentials.ts'

export interface KeyAccessOptions {
  readonly vendor: Vendor
  readonly findKey: FindKey
  /** Stores when the key was used, for administrators. */
  readonly storeUse: (id: string, now: number) => Promise<void>
  /** Absent if callers are trusted. */
  readonly rates?: Rates
}

/** Rate limits. */
export interface Rates {
  readonly byKey: RateLimiter
  /** The limit of requests without a valid key. */
  readonly byAddress: RateLimiter
}

/** Access with an API key. */
export function keyAccess(ctx: ServiceContext, options: KeyAccessOptions): Access {
  const { vendor } = options
  const requested = remember((texts) => {
    const [accept, contentType] = texts.split('\n')
    return answerFormat(vendor, { accept, contentType })
  })
  return {
    formatOf: ({ accept = '', 'content-type': contentType = '' }) => requested(`${accept}\n${contentType}`),
    async admit(request, limits) {
      const key = await admitKey(ctx, options, request, limits)
      const { id, organizationId, role, domainId } = key
      noteUse(ctx, options, key)
      return {
        id,
        caller: { organizationId, actor: { kind: 'api_key', id }, role, limitedTo: domainId },
        authorize: (endpoint, params) => authorize(key, endpoint, params),
        async requireUnchanged() {
          const currentKey = await options.findKey(key.hash)
          if (currentKey?.role !== role || currentKey.domainId !== domainId) throw unauthorized(options.vendor)
        },
      }
    },
  }
}

/** How exactly the last use of a key is known, seconds. Writing each use would cost a commit a call. */
const useInterval = 60 * 60

/** Calls do not wait for it, and do not fail with it: it is only shown to administrators. */
function noteUse({ clock }: ServiceContext, { storeUse }: KeyAccessOptions, { id, usedAt }: KnownKey): void {
  const now = clock.now()
  if (usedAt === undefined || (usedAt !== null && Math.abs(now - usedAt) < useInterval)) return
  void storeUse(id, now).catch(() => {})
}

async function admitKey(
  { refusedKeys }: ServiceContext,
  { vendor, findKey, rates }: KeyAccessOptions,
  { headers, address, requestId }: RestRequest,
  limits: Record<string, string>,
): Promise<KnownKey> {
  const limited = (limiter: RateLimiter | undefined, caller: string) => Object.assign(limits, limiter?.take(caller))
  try {
    const key = await authenticate(headers, vendor, findKey)
    limited(rates?.byKey, key.hash)
    return key
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) {
      await refusedKeys.report({ ...shownCredentials(headers, vendor), address, vendor, requestId })
      limited(rates?.byAddress, networkOf(address))
    }
    throw error
  }
}
