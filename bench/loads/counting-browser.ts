import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'

import { textOf } from '../../test/support/crowd/http-client.ts'

/** What a browser has sent and received. */
export interface Traffic {
  requests: number
  /** Bytes of requests and responses, with their headers. */
  bytes: number
  /** The same, if the app compressed its pages with gzip. */
  compressedBytes: number
}

export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

const noTraffic = (): Traffic => ({ requests: 0, bytes: 0, compressedBytes: 0 })

const isRedirect = (status: number) => status === 302 || status === 303

/** A browser with cookies, which counts its requests and their bytes. It loads no scripts, styles and images. */
export function createCountingBrowser(url: string) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  const jar = new Map<string, string>()
  let traffic = noTraffic()
  const common = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'accept-language': 'en-US,en;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    'sec-fetch-site': 'same-origin',
  }

  /** @param transferred What the socket of the request has transferred since the request began. */
  function count(transferred: () => number, text: string): void {
    const bytes = transferred()
    traffic.bytes += bytes
    const compressed = text.length > 1_024 ? gzipSync(text).length : Buffer.byteLength(text)
    traffic.compressedBytes += bytes - Buffer.byteLength(text) + compressed
  }

  async function open(method: 'GET' | 'POST', path: string, ownHeaders: Record<string, string>, body = '') {
    traffic.requests += 1
    const form = method === 'POST' && {
      origin: 'https://app.example',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    }
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...common, ...ownHeaders, ...form, ...(cookie && { cookie }) }
    let transferred = () => 0
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ agent, hostname, port, method, path, headers }, resolve)
        .on('socket', (socket) => {
          const total = () => socket.bytesRead + socket.bytesWritten
          const before = total()
          transferred = () => total() - before
        })
        .on('error', reject)
        .end(body)
    })
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return { response, transferred }
  }

  async function send(...message: Parameters<typeof open>): Promise<Answer> {
    const { response, transferred } = await open(...message)
    const text = await textOf(response)
    count(transferred, text)
    return { status: response.statusCode ?? 0, location: response.headers.location, text }
  }

  const page = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const script = { accept: 'application/json', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }

  /** Opens a page, and follows its redirects. */
  async function visit(path: string): Promise<Answer & { readonly path: string }> {
    for (let next = path; ;) {
      const answer = await send('GET', next, page)
      if (!isRedirect(answer.status)) return { ...answer, path: next }
      next = answer.location ?? ''
    }
  }

  return {
    /** The traffic since the last call. */
    takeTraffic(): Traffic {
      const taken = traffic
      traffic = noTraffic()
      return taken
    },
    visit,
    /** Submits a form, and follows where it leads. */
    async submit(path: string, fields: Record<string, string>) {
      const answer = await send('POST', path, page, new URLSearchParams(fields).toString())
      return isRedirect(answer.status) ? visit(answer.location ?? '') : { ...answer, path }
    },
    /** Posts as a script of a page does. */
    async post<T>(path: string, fields: Record<string, string> = {}): Promise<T> {
      const { status, text } = await send('POST', path, script, new URLSearchParams(fields).toString())
      if (status !== 200) throw new Error(`POST ${path} was answered with ${status} ${text}`)
      return JSON.parse(text) as T
    },
    /** Opens the event stream of a page. Resolves when it is open, with what resolves at the first change. */
    async listen(path: string): Promise<{ readonly changed: Promise<void> }> {
      const headers = { ...script, accept: 'text/event-stream' }
      const { response, transferred } = await open('GET', path, headers)
      if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`)
      const opened = Promise.withResolvers<void>()
      const follow = async () => {
        count(transferred, await readUntilChange(response, opened.resolve))
        response.destroy()
      }
      const changed = follow()
      changed.catch(opened.reject)
      await opened.promise
      return { changed }
    },
    forget: (cookie: string) => void jar.delete(cookie),
    close: () => agent.destroy(),
  }
}

export type CountingBrowser = ReturnType<typeof createCountingBrowser>

/** @param opened Called when the stream has begun. @returns what was read. */
function readUntilChange(response: IncomingMessage, opened: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      opened()
      if (text.includes('event: change\n')) resolve(text)
    })
    response.on('close', () => reject(new Error('the stream ended without a change'))).on('error', reject)
  })
}
