import type { Pauses } from '../contract/browsers.ts'
import type { User } from '../contract/users.ts'
import type { Challenge } from './challenge.ts'
import type { ConnectedService } from './service.ts'

/** The factors of a member that are paused, if the service says so before they are tried. */
export async function readPauses(
  service: ConnectedService,
  { id }: Pick<User, 'id'>,
  browser: string | undefined,
): Promise<Pauses> {
  return service.reportsPauses ? service.client.browsers.pauses(service.domainId, id, browser) : {}
}

/** Only an administrator ends a longer pause, seconds: all others last a day at most. */
const maxPause = 365 * 24 * 60 * 60

/**
 * Whether codes are paused, and until when. What the service says now counts, because an administrator may have unlocked
 * them; what it said after the last code counts if that concerned this challenge, or if the service says nothing now.
 */
export function codesPause(
  { codes }: Pauses,
  { notice }: Challenge,
  { service, now }: { readonly service: ConnectedService; readonly now: number },
): Pauses['codes'] {
  if (codes) return codes
  if (notice?.kind !== 'codes_paused' || notice.until <= now) return undefined
  if (service.reportsPauses && !notice.ofChallenge) return undefined
  return { until: endOf(notice.until, now) }
}

/** @returns undefined if only an administrator ends it. */
export function endOf(until: number, now: number): number | undefined {
  return until - now > maxPause ? undefined : until
}
