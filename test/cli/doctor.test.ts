import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { examine as look } from '../../src/cli/doctor/examine.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { startWebApp } from '../support/web-app.ts'
import { run } from './admin/run-command.ts'

interface Finding {
  readonly about: string
  readonly state: string
  readonly text: string
}

/** What the doctor finds about each thing. */
async function examine(url: string, ...more: readonly string[]) {
  const { json, code } = await run('doctor', url, '--json', ...more)
  const found = Object.fromEntries((json as Finding[]).map(({ about, state, text }) => [about, `${state}: ${text}`]))
  return { found, code }
}

/** A proxy in front of an app, as this handler makes it. */
async function proxied(handle: (req: IncomingMessage, res: ServerResponse, forward: () => Promise<void>) => unknown) {
  const app = await startWebApp()
  const listener = async (req: IncomingMessage, res: ServerResponse) => {
    const forward = async () => {
      const answer = await fetch(app.url + (req.url ?? ''), {
        headers: {
          accept: req.headers.accept ?? '*/*',
          'sec-fetch-mode': req.headers['sec-fetch-mode'] ?? 'cors',
        },
        redirect: 'manual',
      })
      for (const [name, value] of answer.headers) {
        if (!/^(transfer-encoding|content-encoding|content-length)$/.test(name) && !res.hasHeader(name))
          res.setHeader(name, value)
      }
      res.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
    }
    await handle(req, res, forward)
  }
  return listen((req, res) => void listener(req, res))
}

describe('second-factor doctor', () => {
  it('the doctor finds nothing wrong with an app as the README shows it', async () => {
    const { url } = await startWebApp()

    const { stdout, code } = await run('doctor', url)

    expect(code).toBe(0)
    expect(stdout).not.toContain('✗')
    expect(stdout).toMatch(
      /^Address +✓ answers, on this machine\n\/mfa +✓ is served by mfa\(\)\nCaches +✓ keep no page\n/,
    )
    expect(stdout).toMatch(/^Authenticator +✓ can be installed$/m)
  })

  inFullRun.each([
    ['SameSite=Lax', 'good: are out of the reach of scripts and of other sites'],
    ['SameSite=None', expect.stringMatching(/^unknown: sid is sent with forms of other sites \(SameSite=None\)/)],
  ])('the doctor accepts a session cookie with %s, and says what it means', async (attribute, finding) => {
    const url = await proxied((_req, res, forward) => {
      res.setHeader('Set-Cookie', `sid=1; Path=/; HttpOnly; ${attribute}`)
      return forward()
    })

    const { found, code } = await examine(url)

    expect(found['Cookies']).toEqual(finding)
    expect(code).toBe(0)
  })

  it('the doctor compares the clock of the app with the time at which its answer came, however long the others take', async () => {
    const sent = 1_700_000_000
    const headers = new Headers({ date: new Date(sent * 1000).toUTCString() })

    const findings = await look({
      url: new URL('https://app.example'),
      path: '/mfa',
      visit: (path) =>
        Promise.resolve(
          path === '/' ? { at: sent + 1, status: 200, headers, json: undefined } : { failure: 'no answer' },
        ),
      visitAuthenticator: undefined,
    })

    expect(findings.find(({ about }) => about === 'Clock')?.state).toBe('good')
  })

  inFullRun('the doctor does not take the age of a page that a cache answered for a wrong clock', async () => {
    const url = await proxied((_req, res, forward) => {
      res.setHeader('Date', new Date(Date.now() - 3_600_000).toUTCString())
      res.setHeader('Age', '3600')
      return forward()
    })

    expect((await examine(url)).found['Clock']).toMatch(/^good/)
  })

  it('the doctor says of a failing app that it fails, and of a port without TLS that it has none', async () => {
    const url = await listen((_req, res) => void res.writeHead(503).end())

    const failing = await examine(url)
    const plain = await examine(url.replace('http:', 'https:'))

    expect(failing.found['/mfa']).toMatch(/^problem: fails \(503\): look at the log/)
    expect(plain.found['Address']).toMatch(/^problem: answers, but not over https \(ERR_SSL_\w+\): start/)
  })

  inFullRun('the doctor reads no more than the beginning of a page that has no end', async () => {
    const written = { bytes: 0 }
    const url = await listen((_req, res) => {
      const write = () => {
        while (!res.destroyed && res.write(Buffer.alloc(65_536, 'a'))) written.bytes += 65_536
      }
      res.on('drain', write)
      write()
    })

    const { found } = await examine(url)

    expect(found['Address']).toBe('good: answers, on this machine')
    expect(found['Clock']).toMatch(/^good: /)
    // Six pages, with what the sockets hold of each.
    expect(written.bytes).toBeLessThan(100_000_000)
  })

  inFullRun('the doctor reads the state of an app with debug: true', async () => {
    const { url } = await startWebApp({ mfa: { debug: true, publicUrl: 'http://localhost:1' } })

    const { found, code } = await examine(url)

    expect(found['Service']).toBe('good: answers, and speaks version 1.4')
    expect(found['publicUrl']).toMatch(/^problem: is http:\/\/localhost:1, and browsers open http:\/\/127/)
    expect(code).toBe(1)
  })

  it('the doctor says why there is no answer', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))

    expect((await examine(`http://127.0.0.1:${port}`)).found).toEqual({
      Address: expect.stringMatching(/^problem: connect ECONNREFUSED .*: start the app, or correct the address$/),
    })
  })

  inFullRun.each<[string, string, RegExp, Parameters<typeof proxied>[0]]>([
    [
      'the page itself is served at /mfa',
      '/mfa',
      /^problem: shows another page \(200\).*does not forward \/mfa/,
      (_req, res) => res.end('<h1>App</h1>'),
    ],
    [
      '/mfa is not there',
      '/mfa',
      /^problem: is not there: add app\.use\(mfa\(\)\)/,
      (req, res, forward) => (req.url?.startsWith('/mfa') ? res.writeHead(404).end() : forward()),
    ],
    [
      'visitors are sent to the login before mfa()',
      '/mfa',
      /^problem: leads to \/login: put app\.use\(mfa\(\)\) before/,
      (_req, res) => res.writeHead(302, { location: '/login' }).end(),
    ],
    [
      'a cache answers',
      'Caches',
      /^problem: a cache answered/,
      (_req, res, forward) => (res.setHeader('Age', '7'), forward()),
    ],
    [
      'a proxy lets caches keep pages',
      'Caches',
      /^problem: may keep pages \(Cache-Control: public, max-age=60\)/,
      (_req, res, forward) => (res.setHeader('Cache-Control', 'public, max-age=60'), forward()),
    ],
    [
      'a proxy replaces the policy of pages',
      'Pages',
      /^problem: have another Content-Security-Policy/,
      (_req, res, forward) => (res.setHeader('Content-Security-Policy', "default-src 'self'"), forward()),
    ],
    [
      'only /mfa itself is forwarded',
      'Scripts',
      /^problem: are not served \(200, Content-Type: text\/html\): forward everything below \/mfa/,
      (req, res, forward) =>
        req.url === '/mfa' || req.url === '/'
          ? forward()
          : res.setHeader('Content-Type', 'text/html').end('<h1>App</h1>'),
    ],
    [
      'the authenticator takes a login',
      'Authenticator',
      /^problem: answers 302 at \/mfa\/authenticator\/: phones open it without a login/,
      (req, res, forward) =>
        req.url?.includes('authenticator') ? res.writeHead(302, { location: '/login' }).end() : forward(),
    ],
    [
      'scripts can read the session cookie',
      'Cookies',
      /^problem: sid lacks HttpOnly.*; sid lacks SameSite, so forms of other sites are sent with it/,
      (_req, res, forward) => (res.setHeader('Set-Cookie', 'sid=1; Path=/'), forward()),
    ],
    [
      'the clock of the machine is wrong',
      'Clock',
      /^problem: differs by (59|60|61) seconds/,
      (_req, res, forward) => (res.setHeader('Date', new Date(Date.now() - 60_000).toUTCString()), forward()),
    ],
  ])('the doctor says what to do where %s', async (_, about, text, handle) => {
    const { found, code } = await examine(await proxied(handle))

    expect(found[about]).toMatch(text)
    expect(code).toBe(1)
  })

  it.each(['mfa', '/mfa/', '/mfa?x', '//evil.example'])('the doctor takes no path such as %s', async (path) => {
    const { code, stderr } = await run('doctor', 'https://app.example', '--path', path)

    expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a path such as /mfa.')])
  })

  it.each(['app.example', 'ftp://app.example', 'https://app.example/?x=1'])(
    'the doctor takes no address such as %s',
    async (url) => {
      const { code, stderr } = await run('doctor', url)

      expect(code).toBe(2)
      expect(stderr).toContain('an address such as https://app.example.com')
    },
  )

  it.each([
    ['<url>', ['https://someone:hidden@app.example']],
    ['--authenticator-url', ['https://app.example', '--authenticator-url', 'https://hidden@mfa.example']],
  ])('the doctor takes no user name and no password, and does not repeat them: %s', async (name, args) => {
    const { code, stdout, stderr } = await run('doctor', ...args)

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${name}: leave out the user name and the password`)
    expect(stderr).not.toContain('hidden')
  })

  inFullRun('the doctor says that a page does not end', async () => {
    const soon = AbortSignal.timeout(300)
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(soon)
    onTestFinished(() => void vi.restoreAllMocks())
    const url = await listen((_req, res) => void res.write('<h1>App'))

    const { found, code } = await examine(url)

    expect(found['Address']).toBe(
      'problem: answers (200), but the page does not end within 10 seconds: have the app end it',
    )
    expect(code).toBe(1)
  })
})
