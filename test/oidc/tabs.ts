import { sendRequest } from '../support/http-request.ts'
import type { HttpResponse } from '../support/http-request.ts'

/** Where a browser has arrived. */
export interface Visited {
  /** The address at another origin that it was sent to. */
  readonly left: URL | undefined
  /** The last answer of this origin. */
  readonly page: HttpResponse
  readonly path: string
}

/** A web browser without JavaScript that keeps cookies by their paths, so that several tabs can be open. */
export interface Tabs {
  get(path: string, headers?: Record<string, string>): Promise<HttpResponse>
  submit(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<HttpResponse>
  /** Opens an address and follows redirects, also those of pages. */
  visit(address: string): Promise<Visited>
  /** Follows what an answer redirects to. */
  follow(answer: HttpResponse): Promise<Visited>
  /** The names of its cookies. */
  cookies(): string[]
  /** All of its cookies. */
  jar(): Cookie[]
  /** Stores a cookie that another place has set, such as a sibling of this host. */
  plant(cookie: Cookie): void
}

export interface Cookie {
  readonly name: string
  readonly path: string
  readonly value: string
}

export function createTabs(base: string): Tabs {
  const jar = new Map<string, Cookie>()
  const { origin } = new URL(base)

  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const [pathname = ''] = path.split('?', 1)
    const sent = [...jar.values()].filter((cookie) => isBelow(pathname, cookie.path))
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ')
    const answer = await sendRequest(
      method,
      base + path,
      {
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': 'same-origin',
        ...(cookie && { cookie }),
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
      body,
    )
    for (const line of answer.cookies) store(line)
    return answer
  }

  function store(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/'
    const isGone = /; *expires=Thu, 01 Jan 1970/i.test(line) || /; *max-age=0/i.test(line)
    if (isGone) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { name, path, value })
  }

  async function visit(address: string): Promise<Visited> {
    const steps: string[] = []
    for (let next = new URL(address, base), page: HttpResponse | undefined; ;) {
      if (next.origin !== origin) return { left: next, page: page as HttpResponse, path: next.pathname }
      if (steps.length > 20) throw new Error(`redirected too often: ${steps.join(' → ')}`)
      page = await send('GET', next.pathname + next.search, {})
      steps.push(next.pathname)
      const to = targetOf(page)
      if (to === undefined) return { left: undefined, page, path: next.pathname }
      next = new URL(to, next)
    }
  }

  return {
    get: (path, headers = {}) => send('GET', path, headers),
    submit: (path, fields = {}, headers = {}) => send('POST', path, headers, String(new URLSearchParams(fields))),
    visit,
    follow: (answer) => {
      const to = targetOf(answer)
      if (to === undefined) throw new Error(`redirects nowhere: ${answer.status} ${answer.text}`)
      return visit(to)
    },
    cookies: () => [...jar.values()].map(({ name }) => name),
    jar: () => [...jar.values()],
    plant: (cookie) => void jar.set(`${cookie.name} ${cookie.path}`, cookie),
  }
}

/** RFC 6265 section 5.1.4. */
function isBelow(path: string, cookiePath: string): boolean {
  if (path === cookiePath) return true
  return path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`)
}

/** The address of a redirect, or of a page that refreshes to one. */
function targetOf({ status, headers }: HttpResponse): string | undefined {
  if (status === 302 || status === 303) return String(headers['location'])
  return /^0; ?url=(.*)$/.exec(headers['refresh'] ?? '')?.[1]
}
