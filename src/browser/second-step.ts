import { isBackFrom, noteLeaving } from './leaving.ts'

/** Names the challenge, as the body does. A file that apps serve by itself imports nothing of the server, so it is written here again. */
export const challengeHeader = 'mfa-challenge'

export interface SecondStepOptions {
  /**
   * The origins of your API, if it is not the origin of this page. Their `mfa()` lists the origin of this page in `returnOrigins`.
   * @default only the origin of this page
   */
  readonly origins?: readonly string[]
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
  // A copy, because the caller still has to read an answer about something else.
  const read = () => answer.clone().json() as Promise<unknown>
  const { status, url, headers } = answer
  return lead({ status, url, header: headers.get(challengeHeader), read }, options, returnTo)
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

export async function lead(answer: Refusal, { origins = [] }: SecondStepOptions, returnTo?: string): Promise<boolean> {
  const challenge = await challengeIn(answer, origins)
  if (!challenge) return false
  if (isHere(challenge) || isBackFrom(challenge)) throw new Error(notServed(challenge.pathname))
  noteLeaving(challenge)
  challenge.searchParams.set('returnTo', returnTo ?? currentPage(challenge))
  open(challenge)
  return true
}

const isHere = ({ origin, pathname }: URL) => location.origin === origin && location.pathname === pathname

function notServed(path: string): string {
  return (
    `leadToSecondStep(): ${path} shows this app and not the challenge, because what serves this page does not forward ` +
    `${path} to mfa(). Forward ${path} and everything below it to your server, as you do with your API: in Vite by ` +
    `server.proxy, in nginx by location ${path} { proxy_pass … }.`
  )
}

/** Follows only answers of this origin or a listed one, and only to the origin of the answer: another server may have answered. */
async function challengeIn(answer: Refusal, origins: readonly string[]): Promise<URL | undefined> {
  if (answer.status !== 403) return undefined
  const { origin } = new URL(answer.url, location.href)
  if (origin !== location.origin && !origins.includes(origin)) return undefined
  const address = answer.header ?? (await addressIn(answer))
  const challenge = address === undefined ? null : URL.parse(address, origin)
  if (!challenge || !/^https?:$/.test(challenge.protocol)) return undefined
  // A development server shows the app at another origin than the app knows.
  return new URL(challenge.pathname + challenge.search, origin)
}

async function addressIn({ read }: Refusal): Promise<string | undefined> {
  try {
    const { error, challenge } = ((await read()) ?? {}) as { error?: unknown; challenge?: unknown }
    return error === 'mfa_required' && typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

function currentPage({ origin }: URL): string {
  const path = location.pathname + location.search + location.hash
  return origin === location.origin ? path : location.origin + path
}

/** At another origin, `mfa()` reads in Referer where the user comes from, which many pages send nowhere. */
function open(challenge: URL): void {
  if (challenge.origin === location.origin) return location.assign(challenge)
  const link = document.createElement('a')
  link.href = challenge.href
  link.referrerPolicy = 'origin'
  document.body.append(link)
  link.click()
  link.remove()
}
