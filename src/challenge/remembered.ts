import { ApiError } from '../client/errors.ts'
import type { RememberedBrowser } from '../contract/browsers.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findUser } from './user.ts'

/** A marker for the browser in which somebody has just passed. @returns nothing where the service knows no such thing. */
export async function rememberBrowser(
  service: ConnectedService,
  user: MfaUser,
  days: number,
): Promise<RememberedBrowser | undefined> {
  const known = service.version === '1.3' ? undefined : await findUser(service, user)
  return known && service.client.browsers.remember(service.domainId, known.id, days)
}

/** @returns until when the marker is good for this user, Unix seconds; undefined where it is not. */
export async function recogniseBrowser(
  service: ConnectedService,
  user: MfaUser,
  marker: string,
): Promise<number | undefined> {
  const known = service.version === '1.3' ? undefined : await findUser(service, user)
  if (!known) return undefined
  try {
    return (await service.client.browsers.recognise(service.domainId, known.id, marker)).expiresAt
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return undefined
    throw error
  }
}
