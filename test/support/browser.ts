import { sendRequest } from './http-request.ts'
import type { HttpResponse } from './http-request.ts'

/** The address to which `mfa()` sends a browser back with its new binding cookie. */
const withNewBinding = /[?&]bound=(&|$)/

/** A web browser without JavaScript: stores cookies and sends the headers of a browser. */
export interface Browser {
  /** Opens a page as a person does. Follows no redirect but the one that only sets the binding cookie. */
  open(path: string, headers?: Record<string, string>): Promise<HttpResponse>
  /** Opens a page and follows redirects, as browsers do. Asked for a first factor, this person chooses the phone. */
  visit(path: string): Promise<HttpResponse & { path: string }>
  /** Fetches data as a page's script does. */
  fetch(path: string): Promise<HttpResponse>
  /** Submits a form of a page of this origin. */
  submit(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<HttpResponse>
  /** Sends any body, as a script does. */
  send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<HttpResponse>
  /** A second browser that starts with a copy of the cookies. @param url Another process of the app. */
  copy(url?: string): Browser
  cookie(name: string): string | undefined
  /** All cookies, as the header. */
  cookies(): string
  /** All cookies, for a real browser. */
  cookiesAt(url: string): { name: string; value: string; url: string }[]
}

export function createBrowser(base: string, initialCookies = new Map<string, string>()): Browser {
  const jar = new Map(initialCookies)

  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<HttpResponse> {
    const cookie = cookies()
    const sentHeaders = {
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...(cookie && { cookie }),
      ...headers,
    }
    const answer = await sendRequest(method, base + path, sentHeaders, body)
    for (const line of answer.cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      // Browsers ignore longer cookies (RFC 6265bis section 5.6).
      if (name !== undefined && value !== undefined && name.length + value.length <= 4096) jar.set(name, value)
    }
    return answer
  }

  const open: Browser['open'] = async (path, headers = {}) => {
    const answer = await openOnce(path, headers)
    const { location = '' } = answer.headers
    return withNewBinding.test(location) ? openOnce(location, headers) : answer
  }

  const openOnce: Browser['open'] = (path, headers = {}) =>
    send('GET', path, {
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...headers,
    })

  return {
    open,
    async visit(path) {
      for (let next = path; ;) {
        const answer = await open(next)
        const phone = /<a class="row" href="([^"]+\?use=phone)"/.exec(answer.text)?.[1]
        if (answer.status !== 302 && answer.status !== 303 && !phone) return Object.assign(answer, { path: next })
        next = phone ?? (answer.headers['location'] as string)
      }
    },
    fetch: (path) =>
      send('GET', path, {
        accept: 'application/json',
        'sec-fetch-mode': 'cors',
        'sec-fetch-site': 'same-origin',
      }),
    submit: (path, fields = {}, headers = {}) =>
      send(
        'POST',
        path,
        { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin', ...headers },
        String(new URLSearchParams(fields)),
      ),
    send,
    copy: (url = base) => createBrowser(url, jar),
    cookie: (name) => jar.get(name),
    cookies,
    cookiesAt: (url) => [...jar].map(([name, value]) => ({ name, value, url })),
  }
}
