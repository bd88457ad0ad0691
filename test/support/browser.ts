import request from 'supertest'

/** A web browser without JavaScript: stores cookies and sends the headers of a browser. */
export interface Browser {
  /** Opens a page as a person does, without following redirects. */
  open(path: string, headers?: Record<string, string>): Promise<request.Response>
  /** Opens a page and follows redirects, as browsers do. */
  visit(path: string): Promise<request.Response & { path: string }>
  /** Fetches data as a page's script does. */
  fetch(path: string): Promise<request.Response>
  /** Submits a form of a page of this origin. */
  submit(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<request.Response>
  /** A second browser that starts with a copy of the cookies. @param at Another process of the app. */
  copy(at?: string): Browser
  cookie(name: string): string | undefined
}

export function createBrowser(base: string, cookies = new Map<string, string>()): Browser {
  const jar = new Map(cookies)

  async function send(call: request.Test, headers: Record<string, string>): Promise<request.Response> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await call.redirects(0).set({ ...(cookie ? { cookie } : {}), ...headers })
    for (const line of (answer.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) jar.set(name, value)
    }
    return answer
  }

  const open: Browser['open'] = (path, headers = {}) =>
    send(request(base).get(path), {
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
        if (answer.status !== 302 && answer.status !== 303) return Object.assign(answer, { path: next })
        next = answer.headers['location'] as string
      }
    },
    fetch: (path) =>
      send(request(base).get(path), {
        accept: 'application/json',
        'sec-fetch-mode': 'cors',
        'sec-fetch-site': 'same-origin',
      }),
    submit: (path, fields = {}, headers = {}) =>
      send(request(base).post(path).type('form').send(fields), {
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': 'same-origin',
        ...headers,
      }),
    copy: (at = base) => createBrowser(at, jar),
    cookie: (name) => jar.get(name),
  }
}
