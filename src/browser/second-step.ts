import type { ApprovalOptions } from './approval.ts'
import { isBackFrom, noteLeaving } from './leaving.ts'
import { parseUrl } from './parse-url.ts'

/** Names the challenge, as the body does. A file that apps serve by itself imports nothing of the server, so it is written here again. */
export const challengeHeader = 'mfa-challenge'

export interface SecondStepOptions {
  /**
   * The origins of your API, if it is not the origin of this page. Their `mfa()` lists the origin of this page in `returnOrigins`.
   * @default only the origin of this page
   */
  readonly origins?: readonly string[]
  /**
   * Shows the number of an action that the user has to approve, and returns a function that hides it. `followSecondStep()` then waits for
   * the approval, and sends a refused `fetch()` again.
   * @default the app gets the answer with 403
   */
  readonly showApproval?: ApprovalOptions['show']
}

/**
 * Sends the user to the second step if an answer requires it, and back afterwards. For single-page apps.
 *
 * @param returnTo where the user returns; by default the current page.
 * @returns whether it did: then the browser is leaving this page.
 * @throws {Error} if the address of the challenge shows the app itself, which would be an endless loop.
 *
 * @example
 * const answer = await fetch('/api/orders')
 * if (await leadToSecondStep(answer)) return
 */
export async function leadToSecondStep(
  answer: Response,
  returnTo?: string,
  options: SecondStepOptions = {},
): Promise<boolean> {
  return leadFrom(refusalOf(answer), options, returnTo)
}

/**
 * The same for the address of a challenge that came in another way, such as in an error of GraphQL.
 *
 * @param challenge `extensions.challenge` of the error. Its path is opened at its own origin if `origins` lists that, otherwise at the
 * origin of this page.
 */
export function leadToChallenge(
  challenge: string,
  returnTo?: string,
  { origins = [] }: SecondStepOptions = {},
): boolean {
  const url = parseUrl(challenge, location.href)
  if (!url) return false
  return openAt(url, origins.includes(url.origin) ? url.origin : location.origin, returnTo)
}

/** An answer of `fetch()` or of an `XMLHttpRequest`. */
export interface Refusal {
  readonly status: number
  /** Empty for an answer that was not received from a server. */
  readonly url: string
  /** Scripts of other origins cannot read it. */
  readonly header: string | null
  readonly read: () => Promise<unknown>
}

/** Reads a copy, because the caller still has to read an answer about something else. */
export const refusalOf = (answer: Response): Refusal => ({
  status: answer.status,
  url: answer.url,
  header: answer.headers.get(challengeHeader),
  read: () => answer.clone().json() as Promise<unknown>,
})

/** Follows only answers of this origin or a listed one, and only to the origin of the answer: another server may have answered. */
export async function leadFrom(
  answer: Refusal,
  { origins = [] }: SecondStepOptions,
  returnTo?: string,
): Promise<boolean> {
  if (answer.status !== 403) return false
  const origin = parseUrl(answer.url, location.href)?.origin ?? ''
  if (origin !== location.origin && !origins.includes(origin)) return false
  const address = answer.header ?? (await addressIn(answer))
  const challenge = address === undefined ? undefined : parseUrl(address, origin)
  return challenge !== undefined && openAt(challenge, origin, returnTo)
}

async function addressIn({ read }: Refusal): Promise<string | undefined> {
  try {
    const { error, challenge } = ((await read()) ?? {}) as { error?: unknown; challenge?: unknown }
    return error === 'mfa_required' && typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/** How long the browser may take to leave a page; ms. The user may also have chosen to stay. */
export const maxWait = 10_000

/** The page that was left last. Leaving it again would interrupt what the browser is loading. */
let left = { page: Number.NaN, at: 0 }

/** Opens the path of a challenge at this origin: a development server shows the app at another one than the app knows. */
function openAt(challenge: URL, origin: string, returnTo: string | undefined): boolean {
  if (typeof returnTo === 'object') throw new TypeError('returnTo is no string; the options come after it')
  const target = new URL(origin)
  // Set, and not parsed: a path that begins with two slashes would be read as a host.
  target.pathname = challenge.pathname
  target.search = challenge.search
  const isOwn = target.origin === location.origin
  // Pages of other origins cannot remove the record, so it would say nothing.
  if (isOwn && (location.pathname === target.pathname || isBackFrom(target)))
    throw new Error(notServed(target.pathname, challenge.origin))
  if (left.page === performance.timeOrigin && Date.now() - left.at < maxWait) return true
  left = { page: performance.timeOrigin, at: Date.now() }
  if (isOwn) noteLeaving(target)
  target.searchParams.set('returnTo', returnTo ?? currentPage(isOwn))
  openPage(target, isOwn)
  return true
}

function notServed(path: string, origin: string): string {
  const elsewhere =
    origin === location.origin ? '' : ` If your API stays at ${origin}, list that: { origins: ['${origin}'] }.`
  return (
    `leadToSecondStep(): ${path} shows this app and not the challenge, because what serves this page does not forward ` +
    `${path} to mfa(). Forward ${path} and everything below it to your server, as you do with your API: in Vite by ` +
    `server.proxy, in nginx by location ${path} { proxy_pass … }.${elsewhere}`
  )
}

function currentPage(isOwn: boolean): string {
  const path = location.pathname + location.search + location.hash
  return isOwn ? path : location.origin + path
}

/** At another origin, `mfa()` reads in Referer where the user comes from, which many pages send nowhere. */
function openPage(target: URL, isOwn: boolean): void {
  if (isOwn) return location.assign(target)
  const link = document.createElement('a')
  link.href = target.href
  link.referrerPolicy = 'origin'
  document.body.append(link)
  link.click()
  link.remove()
}
