import request from 'supertest'

/** A browser without JavaScript: keeps cookies, follows redirects, sends forms as a page of the app would. */
export interface Browser {
  open(path: string): Promise<Page>
  /** What the page does by itself after a moment. */
  refresh(page: Page): Promise<Page>
  submit(path: string, values?: Readonly<Record<string, string>>): Promise<Page>
}

export interface Page {
  /** Path and query where the redirects ended. */
  readonly path: string
  readonly status: number
  readonly text: string
}

export function createBrowser(origin: string): Browser {
  const headers = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' }
  const agent = request.agent(origin).set(headers)

  const load = async (pendingRequest: request.Test): Promise<Page> => {
    const { redirects, status, text } = await pendingRequest.redirects(10)
    const { pathname, search } = new URL(redirects.at(-1) ?? pendingRequest.url, origin)
    return { path: pathname + search, status, text }
  }

  return {
    open: (path) => load(agent.get(path)),
    refresh: ({ text }) =>
      load(agent.get(/http-equiv="refresh" content="\d+;url=([^"]+)"/.exec(text)?.[1] ?? '/no-refresh')),
    submit: (path, values = {}) => load(agent.post(path).type('form').send(values)),
  }
}
