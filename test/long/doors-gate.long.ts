import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { openCertificates } from '../../example-app/https/certificate.ts'
import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { startScript } from '../processes/command.ts'
import type { Served } from '../processes/command.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { startDoorService } from '../support/doors/door-service.ts'
import type { DoorService } from '../support/doors/door-service.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { freePort } from '../support/service-nodes.ts'
import { numberOn } from '../support/web-app.ts'

const deployed = (name: string) => readFileSync(join(root, 'deploy/gate', name), 'utf8')
const gateKey = 'k'.repeat(64)
/** A username, each character of which is one byte. */
const notUtf8 = 'm\u00fcller'

let folder: string
let service: DoorService
let app: Awaited<ReturnType<typeof startApp>>
let gatePort: number
let gate: Served
let webServers: Record<'nginx' | 'Apache', WebServer>

beforeAll(async () => {
  requirePrograms(['nginx', 'nginx-light'], ['apache2', 'apache2'], ['htpasswd', 'apache2-utils'])
  folder = mkdtempSync(join(tmpdir(), 'second-factor-gate-'))
  chmodSync(folder, 0o755)
  service = await startDoorService({ type: 'WEB', numberMatching: 'required' })
  for (const name of ['ann', 'ben']) await service.enroll(name)
  app = await startApp()
  gatePort = await freePort()
  const { server } = await openCertificates(join(folder, 'tls'), ['localhost'], systemClock.now())
  writeFileSync(join(folder, 'fullchain.pem'), server.certificate)
  writeFileSync(join(folder, 'privkey.pem'), server.key)
  execFileSync('htpasswd', ['-cb', join(folder, 'wiki.htpasswd'), 'ann', 'pw'], { stdio: 'ignore' })
  execFileSync('htpasswd', ['-b', join(folder, 'wiki.htpasswd'), 'ben', 'pw'], { stdio: 'ignore' })
  const hashed = execFileSync('htpasswd', ['-nb', 'name', 'pw'], { encoding: 'latin1' }).trim()
  appendFileSync(join(folder, 'wiki.htpasswd'), `${hashed.replace('name', notUtf8)}\n`, 'latin1')
  chmodSync(join(folder, 'wiki.htpasswd'), 0o644)
  writeFileSync(join(folder, 'gate.env'), place(deployed('gate.env')), { mode: 0o600 })
  await startGate()
  webServers = { nginx: await startNginx(), Apache: await startApache() }
}, 120_000)
afterAll(async () => {
  await Promise.all(Object.values(webServers ?? {}).map((each) => each.close()))
  gate?.kill()
  await gate?.ended
  await app?.close()
  await service?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** An app that knows nothing of a second step: it says what it got. */
async function startApp() {
  const seen: string[] = []
  const headers: IncomingMessage['headers'][] = []
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    seen.push(req.url ?? '')
    headers.push(req.headers)
    const { 'x-remote-user': user, 'x-gate-key': key } = req.headers
    const bytes = Buffer.concat(await req.toArray()).length
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ app: req.url, user, key, bytes }))
  }
  const server = createServer((req, res) => void answer(req, res))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) =>
    socket.on('message', (text) => socket.send(`app: ${(text as Buffer).toString()}`)),
  )
  const port = await listen(server)
  return {
    port,
    seen,
    headers,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What an app is told of a person in its only request, and the headers that it could mistake for that. */
function namesIn([headers = {}]: readonly IncomingMessage['headers'][]) {
  const { 'x-remote-user': user, 'x-forwarded-proto': protocol } = headers
  return { user, protocol, underscores: Object.keys(headers).filter((name) => name.includes('_')) }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function place(text: string, port = 0): string {
  return text
    .replaceAll('https://mfa.example/api', service.baseUrl)
    .replaceAll('https://wiki.example', `https://localhost:${port}`)
    .replaceAll('wiki.example;', 'localhost;')
    .replaceAll('0123456789abcdef0123456789abcdef01234567', service.domainId)
    .replaceAll('API-KEY', service.apiKey)
    .replaceAll('GATE-KEY', gateKey)
    .replaceAll('SESSION-SECRET', 's'.repeat(64))
    .replaceAll('/var/lib/second-factor-gate', folder)
    .replaceAll('/etc/second-factor', folder)
    .replaceAll(/\/etc\/letsencrypt\/live\/wiki\.example/g, folder)
    .replaceAll(/\/etc\/(nginx|apache2)\//g, `${folder}/`)
    .replaceAll('/usr/local/libexec', folder)
    .replaceAll('gate-map:gate-map', 'nobody:nogroup')
    .replaceAll('/usr/local/bin/node', process.execPath)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${gatePort}`)
    .replaceAll('PORT=3000', `PORT=${gatePort}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${app.port}`)
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('*:443', `127.0.0.1:${port}`)
}

/** The environment file as systemd reads it. */
const environment = () =>
  Object.fromEntries(
    readFileSync(join(folder, 'gate.env'), 'utf8')
      .split('\n')
      .filter((line) => /^\w/.test(line))
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  ) as Record<string, string>

async function startGate(): Promise<void> {
  gate = await startScript(
    join(root, 'examples/gate.js'),
    { ...environment(), NODE_EXTRA_CA_CERTS: service.caFile },
    folder,
  )
}

interface WebServer {
  readonly port: number
  readonly close: () => Promise<void>
}

async function startNginx(): Promise<WebServer> {
  const port = await freePort()
  writeFileSync(join(folder, 'gate-headers.conf'), place(deployed('gate-headers.conf')))
  writeFileSync(join(folder, 'site.conf'), place(deployed('nginx.conf'), port))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx-main.conf'),
    `daemon off; user root; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes 1;
events {}
http { access_log off; ${paths.join(' ')} include ${folder}/site.conf; }`,
  )
  return started(port, 'nginx', ['-p', folder, '-c', join(folder, 'nginx-main.conf'), '-e', join(folder, 'nginx.log')])
}

async function startApache(): Promise<WebServer> {
  const port = await freePort()
  mkdirSync(join(folder, 'apache'))
  writeFileSync(join(folder, 'gate-key.conf'), place(deployed('gate-key.conf')))
  writeFileSync(join(folder, 'gate-map.js'), place(deployed('gate-map.js')))
  writeFileSync(join(folder, 'gate-map.env'), place(deployed('gate-map.env')), { mode: 0o600 })
  const [mapUser = 0, mapGroup = 0] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'nobody']).toString()),
  )
  chownSync(join(folder, 'gate-map.env'), mapUser, mapGroup)
  const modules = ['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_basic', 'ssl', 'proxy']
  modules.push('proxy_http', 'rewrite', 'headers', 'setenvif')
  writeFileSync(
    join(folder, 'apache-main.conf'),
    `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerRoot ${folder}
ServerName localhost
User www-data
Group www-data
PidFile ${folder}/apache/pid
ErrorLog ${folder}/apache/error.log
LogLevel warn
Mutex file:${folder}/apache
Listen 127.0.0.1:${port}
${place(deployed('apache.conf'), port)}`,
  )
  return started(port, 'apache2', ['-DFOREGROUND', '-f', join(folder, 'apache-main.conf')])
}

async function started(port: number, program: string, args: readonly string[]): Promise<WebServer> {
  const child = spawn(program, [...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
  })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    const answers = await overTls({ port, path: '/', headers: {} }).then(
      () => true,
      () => false,
    )
    if (answers) {
      return {
        port,
        async close() {
          child.kill('SIGTERM')
          await ended
        },
      }
    }
    await pause(50)
  }
  throw new Error(`${program} did not start`)
}

interface Sent {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: Buffer
}

function overTls({ port, path, method = 'GET', headers, body }: Sent): Promise<IncomingMessage> {
  const ca = readFileSync(join(folder, 'tls/authority.crt'))
  return new Promise((resolve, reject) => {
    httpsRequest({ host: 'localhost', port, path, method, headers, ca, agent: false }, resolve)
      .on('error', reject)
      .end(body)
  })
}

const authorization = (user: string, password = 'pw') =>
  `Basic ${Buffer.from(`${user}:${password}`, 'latin1').toString('base64')}`

/** The browser of a person who has typed the password. What it sends goes through TLS to the web server. */
async function browserOf(user: string, { port }: WebServer) {
  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat(await req.toArray())
    const headers = { ...req.headers, host: `localhost:${port}`, authorization: authorization(user) }
    const { url = '', method = 'GET' } = req
    const answer = await overTls({ port, path: url, method, headers, ...(body.length > 0 && { body }) })
    res.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(res)
  }
  const bridge = createServer((req, res) => void forward(req, res))
  const own = await listen(bridge)
  bridges.push(bridge)
  return createBrowser(`http://127.0.0.1:${own}`)
}
const bridges: Server[] = []
afterAll(() => bridges.forEach((bridge) => bridge.close()))

/** From the first page to the one that the person wanted. @returns what the redirects and pages were. */
async function passGate(browser: Browser, user: string, path: string) {
  const first = await browser.open(path)
  const challenge = await browser.visit(path)
  await service.answer(user, 'approve', numberOn(challenge))
  const completed = await browser.submit('/mfa/complete')
  return { first, completed }
}

describe.each(['nginx', 'Apache'] as const)('%s with the gate', (name) => {
  const port = () => webServers[name].port

  it(`${name} asks for the password before it asks the gate`, async () => {
    const before = app.seen.length

    const none = await overTls({ port: port(), path: '/page', headers: {} })
    const wrong = await overTls({ port: port(), path: '/page', headers: { authorization: authorization('ann', 'no') } })
    const named = await overTls({
      port: port(),
      path: '/page',
      headers: { 'x-remote-user': 'ann', 'x-gate-key': gateKey },
    })

    expect([none, wrong, named].map(({ statusCode }) => statusCode)).toEqual([401, 401, 401])
    expect(app.seen).toHaveLength(before)
  })

  it(`${name} leads to the challenge, back to the address that was wanted, and then to the app`, async () => {
    const browser = await browserOf('ann', webServers[name])
    const before = app.seen.length

    const { first, completed } = await passGate(browser, 'ann', '/page?x=1&y=%2Fz')
    const untouched = app.seen.length === before
    const page = await browser.open('/page?x=1&y=%2Fz')

    show(
      `${name}: ${first.status} ${first.headers['location']}, then ${completed.status} ${completed.headers['location']}, then`,
      page.body,
    )
    expect(first.status).toBe(303)
    expect(first.headers['location']).toMatch(/^\/mfa/)
    expect(untouched).toBe(true)
    expect(completed.headers['location']).toMatch(/\/page\?x=1&y=%2Fz$/)
    expect(page.body).toEqual({ app: '/page?x=1&y=%2Fz', user: 'ann', bytes: 0 })
  })

  it(`${name} serves nobody else with the cookies of a person who has passed`, async () => {
    const browser = await browserOf('ann', webServers[name])
    await passGate(browser, 'ann', '/')
    const cookie = browser.cookies()
    const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', cookie }

    const own = await overTls({ port: port(), path: '/', headers: { ...headers, authorization: authorization('ann') } })
    const before = app.seen.length
    const ben = { ...headers, authorization: authorization('ben') }
    const others = [
      await overTls({ port: port(), path: '/', headers: ben }),
      await overTls({ port: port(), path: '/', headers: { ...ben, 'x-remote-user': 'ann', 'x-gate-key': gateKey } }),
      await overTls({ port: port(), path: '/', headers }),
    ]

    expect(others.map(({ statusCode }) => statusCode)).toEqual([303, 303, 401])
    expect([own.statusCode, app.seen.length - before]).toEqual([200, 0])
  })

  it(`${name} keeps its headers, whatever a browser names in Connection or writes with underscores`, async () => {
    const browser = await browserOf('ann', webServers[name])
    await passGate(browser, 'ann', '/')
    const own = { authorization: authorization('ann'), cookie: browser.cookies() }
    const read = async (headers: OutgoingHttpHeaders) => {
      const before = app.headers.length
      const { statusCode } = await overTls({ port: port(), path: '/', headers: { ...own, ...headers } })
      return { statusCode, ...namesIn(app.headers.slice(before)) }
    }

    const named = [
      await read({ connection: 'X-Remote-User, X-Forwarded-Proto' }),
      await read({ connection: 'close', 'x-remote-user': 'admin', 'x-forwarded-proto': 'ftp' }),
    ]
    const underscores = []
    for (const header of ['X_Remote_User', 'X-Remote_User', 'x_remote-user', 'X_Gate_Key', 'X-Forwarded_Host']) {
      underscores.push(await read({ [header]: 'admin', connection: 'X-Remote-User' }))
    }

    const ann = { statusCode: 200, user: 'ann', protocol: 'https', underscores: [] }
    expect(named).toEqual([ann, ann])
    expect(underscores).toEqual(underscores.map(() => ann))
  })

  it(`${name} tells the app no address that a browser made up`, async () => {
    const browser = await browserOf('ann', webServers[name])
    await passGate(browser, 'ann', '/')
    const names = ['For', 'Host', 'Server', 'Port', 'Prefix', 'Proto'].map((each) => `X-Forwarded-${each}`)
    const evil = Object.fromEntries([...names, 'X-Real-IP', 'Forwarded'].map((each) => [each, 'evil.example']))
    const headers = { authorization: authorization('ann'), cookie: browser.cookies(), ...evil }

    const { statusCode } = await overTls({ port: port(), path: '/', headers })

    expect(statusCode).toBe(200)
    expect(JSON.stringify(app.headers.at(-1))).not.toContain('evil.example')
  })

  it.each(['/mfa/../page', '/mfa/%2e%2e/page', '/gate/logout/../../page', '/mfa/x/../../page'])(
    `${name} keeps the key of the gate from the app at the address %s`,
    async (path) => {
      const browser = await browserOf('ann', webServers[name])
      await passGate(browser, 'ann', '/')
      const before = app.headers.length

      const headers = { authorization: authorization('ann'), cookie: browser.cookies() }
      const { statusCode } = await overTls({ port: port(), path, headers })

      expect(statusCode).toBe(200)
      expect(app.headers.slice(before).map((each) => each['x-gate-key'])).toEqual([undefined])
    },
  )

  it.each(['/mfa/x', '/gate/logout', '/'])(
    `${name} shows nobody a request of the proxy by TRACE at %s`,
    async (path) => {
      const headers = { authorization: authorization('ann'), 'max-forwards': '0' }

      const answer = await overTls({ port: port(), path, method: 'TRACE', headers })

      expect(answer.statusCode).toBe(405)
      expect(Buffer.concat(await answer.toArray()).toString()).not.toContain(gateKey)
    },
  )

  it(`${name} passes bodies on after the second step, and none before it`, async () => {
    const browser = await browserOf('ann', webServers[name])
    const post = () =>
      browser.send('POST', '/save', { 'content-type': 'text/plain', accept: 'application/json' }, 'x'.repeat(500_000))
    const before = app.seen.length

    const early = await post()
    const seen = app.seen.length
    await passGate(browser, 'ann', '/')
    const late = await post()

    expect([early.status, seen - before]).toEqual([403, 0])
    expect(late.body).toEqual({ app: '/save', user: 'ann', bytes: 500_000 })
  })

  it.each([
    '/mfa/../page',
    '/mfa/%2e%2e/page',
    '/mfa/..%2fpage',
    '/mfa/..//page',
    '//mfa/../page',
    '/gate/../page',
    '/gate/check/../../page',
    '/gate/logout/../../page',
    '/gate/page',
    '/gate/check',
    '/mfapage',
    '/mfa;/page',
    '/MFA/page',
  ])(`${name} sends nothing to the app without a second step at the address %s`, async (path) => {
    const before = app.seen.length

    const answer = await overTls({ port: port(), path, headers: { authorization: authorization('ann') } })

    expect(answer.statusCode).not.toBe(200)
    expect(app.seen.slice(before)).toEqual([])
  })

  it(`${name} opens a WebSocket after the second step only`, async () => {
    const browser = await browserOf('ann', webServers[name])
    const open = (cookie: string) =>
      new Promise<string>((resolve) => {
        const ca = readFileSync(join(folder, 'tls/authority.crt'))
        const socket = new WebSocket(`wss://localhost:${port()}/socket`, {
          ca,
          headers: { authorization: authorization('ann'), cookie },
        })
        socket.on('open', () => socket.send('hello'))
        socket.on('message', (text) => {
          resolve((text as Buffer).toString())
          socket.close()
        })
        socket.on('error', (error) => resolve(error.message))
      })

    const early = await open('')
    await passGate(browser, 'ann', '/')
    const late = await open(browser.cookies())

    expect(early).toContain('Unexpected server response')
    expect(late).toBe('app: hello')
  })

  it(`${name} asks again after the person has ended the second step`, async () => {
    const browser = await browserOf('ann', webServers[name])
    await passGate(browser, 'ann', '/')
    const inside = await browser.open('/')
    const stolen = browser.copy()

    const left = await browser.submit('/gate/logout')
    const outside = [await browser.open('/'), await stolen.open('/')]

    expect([inside.status, left.status, ...outside.map(({ status }) => status)]).toEqual([200, 200, 303, 303])
  })

  it.each([
    '//evil.example/',
    '/%2F/evil.example',
    '/\\evil.example',
    '/a?returnTo=https://evil.example',
    '/mfa/../..//evil.example',
  ])(`${name} never leads from %s to another site`, async (path) => {
    const browser = await browserOf('ann', webServers[name])
    const locations: string[] = []
    for (let next: string | undefined = path; next !== undefined && locations.length < 5;) {
      next = (await browser.open(next)).headers['location']
      if (next !== undefined) locations.push(next)
    }
    if (locations.length > 0) {
      await service.answer('ann', 'approve', numberOn(await browser.visit('/mfa')))
      locations.push((await browser.submit('/mfa/complete')).headers['location'] ?? '/')
    }

    expect(locations.filter((each) => new URL(each, 'https://localhost').hostname !== 'localhost')).toEqual([])
  })
})

describe('the gate', () => {
  const toGate = (headers: Record<string, string>, path = '/gate/check') =>
    new Promise<number | undefined>((resolve, reject) => {
      httpRequest({ port: gatePort, host: '127.0.0.1', path, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })

  it('the gate believes nobody who does not have the key of the proxy', async () => {
    const browser = await browserOf('ann', webServers.nginx)
    await passGate(browser, 'ann', '/')
    const cookie = browser.cookies()
    const headers = { cookie, 'x-remote-user': 'ann', 'x-forwarded-proto': 'https' }

    expect(await toGate(headers)).toBe(403)
    expect(await toGate({ ...headers, 'x-gate-key': gateKey.slice(1) })).toBe(403)
    expect(await toGate({ cookie, 'x-gate-key': gateKey })).toBe(401)
    expect(await toGate({ ...headers, 'x-gate-key': gateKey })).toBe(204)
  })

  it('the gate keeps web sessions over a restart, in cookies that only HTTPS sends', async () => {
    const browser = await browserOf('ben', webServers.nginx)
    const { first } = await passGate(browser, 'ben', '/')
    gate.kill()
    await gate.ended

    const down = await browser.open('/')
    await startGate()

    expect(first.cookies.find((line) => line.startsWith('__Host-gate='))).toMatch(
      /Path=\/;.*HttpOnly; Secure; SameSite=Lax/,
    )
    expect([down.status, (await browser.open('/')).status]).toEqual([500, 200])
  })

  it('Apache gets one answer of the gate for each question, whatever bytes are in names and cookies', async () => {
    const { port } = webServers.Apache
    const browser = await browserOf('ann', webServers.Apache)
    await passGate(browser, 'ann', '/')
    const cookies = browser.cookies()
    const as = async (user: string, cookie: string) =>
      (await overTls({ port, path: '/', headers: { authorization: authorization(user), cookie } })).statusCode
    const separators = ['\u2028', '\u2029', '\u0085'].map((each) => Buffer.from(each).toString('latin1'))
    const strange = [...separators, '\u0085', '%0A', '%', '\t', ' yes']

    const ann = []
    const ben = []
    for (const bytes of strange) {
      ann.push(await as('ann', `x=1${bytes}ann ${cookies}; ${cookies}`))
      ben.push(await as('ben', 'x=1'), await as('ben', 'x=1'))
    }
    const named = await as(notUtf8, 'x=1')
    const last = [await as('ann', cookies), await as('ben', cookies)]

    expect(new Set(ann)).toEqual(new Set([200]))
    expect(new Set(ben)).toEqual(new Set([403]))
    expect([named, ...last]).toEqual([403, 200, 403])
  })

  it('Apache serves nobody after the process that asks the gate has ended', async () => {
    const browser = await browserOf('ann', webServers.Apache)
    await passGate(browser, 'ann', '/')
    const inside = await browser.open('/')
    const before = app.seen.length
    const pid = Number(execFileSync('pgrep', ['-f', `^${process.execPath} ${folder}/gate-map.js`]).toString())
    process.kill(pid, 'SIGKILL')

    const outside = [await browser.open('/'), await browser.open('/')]

    expect(inside.status).toBe(200)
    expect(outside.map(({ status }) => status)).not.toContain(200)
    expect(app.seen).toHaveLength(before)
  })

  it('the web servers serve nobody while the gate is down, and let nobody in while the service is', async () => {
    const before = app.seen.length
    const browsers = await Promise.all(Object.values(webServers).map((each) => browserOf('ben', each)))
    await service.stop()
    const withoutService = await Promise.all(browsers.map((browser) => browser.visit('/')))
    gate.kill()
    await gate.ended

    const withoutGate = await Promise.all(browsers.map((browser) => browser.open('/')))

    expect(withoutService.map(({ status }) => status)).toEqual([503, 503])
    expect(withoutGate.map(({ status }) => status)).toEqual([500, 503])
    expect(app.seen).toHaveLength(before)
  })
})
