import type { MfaOptions } from 'second-factor'
import { mfa } from 'second-factor'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { SetupError } from '../../src/service-handle.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

const remote = (baseUrl: string) => ({ baseUrl, apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) })
const embeddedLike = {
  connect: () => Promise.reject(new Error('not asked')),
  close: () => Promise.resolve(),
  routes: () => {},
}
const logger = { info() {}, warn() {}, error() {} }

afterEach(() => vi.unstubAllEnvs())

function start(options: Partial<MfaOptions>): void {
  mfa({ user: () => null, logger, ...options })
}

/** The address that a page of an app with an embedded service offers to users who set up a device. */
async function offered(options: Partial<MfaOptions>): Promise<string | undefined> {
  const app = await startWebApp({ mfa: options })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  const { text } = await browser.visit('/account')
  return /id="link" href="([^"#]+)#code=/.exec(text)?.[1]?.replace(new URL(app.url).port, 'PORT')
}

describe('the address of the authenticator', () => {
  it.each([
    'http://127.0.0.1:8787/api',
    'http://127.1.2.3/api',
    'https://localhost:8787/api',
    'http://mfa.localhost/api',
    'http://[::1]:8787/api',
    'http://[::ffff:127.0.0.1]:8787/api',
    'http://0.0.0.0:8787/api',
  ])('the authenticator’s address is never a service address that phones cannot open: %s', (baseUrl) => {
    expect(() => start({ service: remote(baseUrl) })).toThrow(SetupError)
    expect(() => start({ service: remote(baseUrl) })).toThrow(
      /authenticatorUrl is required.* write .*authenticatorUrl: 'https:\/\/mfa\.example'.*While you develop/,
    )
    expect(() => start({ service: remote(baseUrl), authenticatorUrl: new URL(baseUrl).origin })).not.toThrow()
  })

  it('the authenticator’s address is derived from a service that phones can reach, and optional if the service has another authenticator', () => {
    expect(() => start({ service: remote('https://mfa.example/api') })).not.toThrow()
    expect(() => start({ service: { ...remote('http://127.0.0.1/api'), version: '1.3' } })).not.toThrow()
  })

  it('the authenticator’s address comes from the environment together with the service', () => {
    const environment = { MFA_BASE_URL: 'http://127.0.0.1/api', MFA_API_KEY: 'k', MFA_DOMAIN_ID: 'd' }
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    expect(() => start({})).toThrow(/authenticatorUrl is required/)

    vi.stubEnv('MFA_AUTHENTICATOR_URL', 'https://mfa.example')
    expect(() => start({})).not.toThrow()
    expect(() => start({ service: remote('http://127.0.0.1/api') })).toThrow(/authenticatorUrl is required/)

    vi.stubEnv('MFA_AUTHENTICATOR_URL', 'mfa.example')
    expect(() => start({})).toThrow('authenticatorUrl: must be an http(s) address')
  })

  it('an error about the authenticator’s address never quotes secrets in the address of the service', () => {
    expect(() => start({ service: remote('http://alice:hunter2@127.0.0.1/hunter3') })).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/hunter/) }),
    )
  })

  it.each([
    ['authenticatorUrl', { service: embeddedLike, authenticatorUrl: 'http://mfa.example' }],
    ['authenticatorUrl', { service: embeddedLike, authenticatorUrl: 'https://localhost' }],
    ['authenticatorUrl', { service: remote('https://mfa.example/api'), authenticatorUrl: 'http://10.0.0.7/a' }],
    ['publicUrl', { service: embeddedLike, publicUrl: 'http://app.example' }],
    ['publicUrl', { service: embeddedLike, publicUrl: 'https://127.0.0.1' }],
    ['the service’s address', { service: remote('http://mfa.example/api') }],
  ] as [string, Partial<MfaOptions>][])(
    'in production, the authenticator’s address must be https and not a loopback address: %s of %j',
    (name, options) => {
      const settings = { publicUrl: 'https://app.example', ...options }
      expect(() => start(settings)).not.toThrow()

      vi.stubEnv('NODE_ENV', 'production')

      expect(() => start(settings)).toThrow(SetupError)
      expect(() => start(settings)).toThrow(new RegExp(`${name}.*authenticatorUrl: 'https://mfa\\.example'`))
      expect(() => start({ ...settings, authenticatorUrl: 'https://mfa.example' })).not.toThrow()
    },
  )

  inFullRun('in development, an embedded service needs no option for the authenticator’s address', async () => {
    expect(await offered({})).toBe('http://localhost:PORT/mfa/authenticator/')
  })

  inFullRun.each([
    ['https://mfa.example', 'https://mfa.example/authenticator/'],
    ['https://mfa.example/', 'https://mfa.example/authenticator/'],
    ['https://mfa.example/phones', 'https://mfa.example/phones/'],
    // Its own origin: there the authenticator is below the challenge pages.
    ['https://app.example', 'https://app.example/mfa/authenticator/'],
  ])(
    'authenticatorUrl is an origin or the whole address of the authenticator: %s becomes %s',
    async (authenticatorUrl, expectedUrl) => {
      expect(await offered({ authenticatorUrl, publicUrl: 'https://app.example' })).toBe(expectedUrl)
    },
  )

  it.each([
    [{ publicUrl: 'https://app.example' }, 'https://app.example/mfa/authenticator'],
    [{ publicUrl: 'https://app.example/portal/' }, 'https://app.example/portal/mfa/authenticator'],
    [{ publicUrl: 'https://app.example', path: '/second' }, 'https://app.example/second/authenticator'],
    [
      { publicUrl: 'https://app.example', authenticatorUrl: 'https://mfa.example' },
      'https://mfa.example/authenticator',
    ],
    // Without either, only a request could tell, whose headers anyone can write.
    [{}, undefined],
  ] as [Partial<MfaOptions>, string | undefined][])(
    'an embedded service is told the authenticator’s address for its mails: %j',
    async (options, address) => {
      const connectOptions: unknown[] = []
      const service = { ...embeddedLike, connect: (app?: object) => (connectOptions.push(app), embeddedLike.connect()) }

      start({ service, ...options })

      expect(connectOptions).toEqual([expect.objectContaining({ authenticatorUrl: address })])
    },
  )
})
