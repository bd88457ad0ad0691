import { isBackFrom, noteLeaving } from './leaving.ts'

/**
 * Sends the user to the second step if an answer requires it, and back afterwards. For single-page apps.
 *
 * @param returnTo where the user returns, a path of this origin; by default the current page.
 * @returns whether it did: then the browser is leaving this page.
 * @throws {Error} if the address of the challenge shows the app itself, which would be an endless loop.
 *
 * @example
 * const answer = await fetch('/api/orders')
 * if (await leadToSecondStep(answer)) return
 */
export async function leadToSecondStep(answer: Response, returnTo = currentPath()): Promise<boolean> {
  const challenge = await challengeIn(answer)
  if (!challenge) return false
  const { pathname } = challenge
  if (location.pathname === pathname || isBackFrom(challenge)) throw new Error(notServed(pathname))
  noteLeaving(challenge)
  challenge.searchParams.set('returnTo', returnTo)
  location.assign(challenge)
  return true
}

function notServed(path: string): string {
  return (
    `leadToSecondStep(): ${path} shows this app and not the challenge, because what serves this page does not forward ` +
    `${path} to mfa(). Forward ${path} and everything below it to your server, as you do with your API: in Vite by ` +
    `server.proxy, in nginx by location ${path} { proxy_pass … }.`
  )
}

/** Follows only addresses on this origin, because another server may have answered. */
async function challengeIn(answer: Response): Promise<URL | undefined> {
  if (answer.status !== 403) return undefined
  const { error, challenge } = await read(answer)
  if (error !== 'mfa_required' || typeof challenge !== 'string') return undefined
  const url = new URL(challenge, location.href)
  return url.origin === location.origin ? url : undefined
}

/** Reads a copy, because the caller still has to read an answer about something else. */
async function read(answer: Response): Promise<{ error?: unknown; challenge?: unknown }> {
  try {
    return ((await answer.clone().json()) ?? {}) as object
  } catch {
    return {}
  }
}

function currentPath(): string {
  return location.pathname + location.search + location.hash
}
