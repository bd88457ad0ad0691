import type { Pauses } from '../contract/browsers.ts'
import type { Version } from '../contract/endpoint.ts'
import type { Challenge } from './challenge.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** What cannot be tried now; a 1.3 service says nothing of it before it is tried. */
export async function readPauses(
  service: ConnectedService,
  user: MfaUser,
  browser: string | undefined,
): Promise<Pauses> {
  const known = service.version === '1.3' ? undefined : await findMember(service, user)
  return known ? service.client.browsers.pauses(service.domainId, known.id, browser) : {}
}

/** A pause that is longer ends only by an administrator, seconds: the longest other one is a day. */
const maxPause = 365 * 24 * 60 * 60

/**
 * Whether codes are paused, and until when: as the service says of the user now, because an administrator may have
 * unlocked them; or as it said when the last code was tried, where that was of this challenge or it says nothing now.
 */
export function codesPause(
  { codes }: Pauses,
  { notice }: Challenge,
  { version, now }: { readonly version: Version; readonly now: number },
): Pauses['codes'] {
  if (codes) return codes
  if (notice?.kind !== 'codes_paused' || notice.until <= now) return undefined
  if (version === '1.4' && !notice.ofChallenge) return undefined
  return { until: endOf(notice.until, now) }
}

/** @returns nothing where only an administrator ends it. */
export function endOf(until: number, now: number): number | undefined {
  return until - now > maxPause ? undefined : until
}
