import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import type { Logger, MfaOptions } from 'second-factor'
import { mfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { contrast, paleAccents, resolveAccent, surfaces } from '../../src/express/options/accent.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const service = { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }

/** A page that the app has given a look of its own, with the style sheet it names. */
async function pageWith(look: Partial<MfaOptions>) {
  const app = await startWebApp({ mfa: look })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  const page = await browser.visit('/mfa/nowhere')
  const address = /rel="stylesheet" href="([^"]+)"/.exec(page.text)?.[1] ?? ''
  return { app, browser, page, address, style: (await browser.open(address)).text }
}

describe('the accent', () => {
  inFullRun(
    'the accent is in the style sheet and not in the page, and changes the address of the style sheet',
    async () => {
      const usual = await pageWith({})
      const own = await pageWith({ accent: '#0a7a3d' })

      expect(own.style).toContain(usual.style)
      expect(own.style).toContain(':root{--accent:#0a7a3d;--on-accent:#ffffff}')
      expect(own.address).not.toBe(usual.address)
      expect(own.page.text).not.toContain('style=')
      expect(own.page.text).toMatch(/<link rel="icon" href="data:[^"]+%230a7a3d/)
      expect(own.page.headers['content-security-policy']).toContain("style-src 'self';")
    },
  )

  it('the accent is lightened for dark pages until it is readable there', () => {
    const { light, dark } = resolveAccent('#0a7a3d')

    expect(light).toBe('#0a7a3d')
    expect(contrast(dark, surfaces.dark)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(dark, surfaces.dark)).toBeLessThan(6)
    expect(resolveAccent('#7fd').dark).toBe('#77ffdd')
    expect(resolveAccent({ light: '#000', dark: '#fff' })).toEqual({ light: '#000', dark: '#fff' })
  })

  it('the accent has readable text on it, whatever color it is', async () => {
    const { style } = await pageWith({ accent: { light: '#ffd400', dark: '#113' } })

    expect(style).toContain('--accent:#ffd400;--on-accent:#0b0d12')
    expect(style).toContain('--accent:#113;--on-accent:#ffffff')
  })

  it('mfa() logs one warning if the accent is hard to read', async () => {
    const warnings: string[] = []
    const logger: Logger = { info() {}, error() {}, warn: (message) => void warnings.push(message) }

    await pageWith({ accent: { light: '#ffd400', dark: '#113' }, logger })

    expect(warnings.filter((line) => line.includes('accent'))).toEqual([
      'mfa: the accent is hard to read (#ffd400 on light pages, #113 on dark pages): choose one with a contrast of 4.5:1 or more.',
    ])
    expect(paleAccents(resolveAccent('#2450c8'))).toEqual([])
  })

  it('the accent is measured against the backgrounds of the pages', () => {
    const style = readFileSync(new URL('../../src/express/pages/style.css', import.meta.url), 'utf8')

    expect([...style.matchAll(/--surface: (#[\da-f]+);/g)].map(([, colour]) => colour)).toEqual([
      surfaces.light,
      surfaces.dark,
    ])
    expect(contrast('#000', '#ffffff')).toBeCloseTo(21)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it.each([
    'red',
    '#12345',
    '#12345g',
    '#000;}body{display:none',
    'url(https://evil.example)',
    'var(--danger)',
    '#fff\n',
    { light: '#fff' },
    { light: '#fff', dark: '#000', other: '#000' },
  ])('the accent is rejected at startup if it is not a plain color: %j', (accent) => {
    expect(() => mfa({ service, accent: accent as string })).toThrow(TypeError)
    expect(() => mfa({ service, accent: accent as string })).toThrow(/accent/)
  })
})

describe('the logo', () => {
  inFullRun('the logo replaces the first letter of the app’s name', async () => {
    const own = await pageWith({ logo: '/logo.svg' })
    const usual = await pageWith({})

    expect(own.page.text).toContain('<img class="mark" src="/logo.svg" alt=""><bdi>Test</bdi>')
    expect(usual.page.text).toContain('<span class="mark" aria-hidden="true">T</span><bdi>Test</bdi>')
  })

  it('without a logo, an app name that starts with an emoji shows the whole emoji', async () => {
    const { page } = await pageWith({ appName: '👩‍🚀 Space' })

    expect(page.text).toContain('aria-hidden="true">👩‍🚀</span>')
  })

  it.each([
    'https://cdn.example/logo.svg',
    '//cdn.example/logo.svg',
    '/\\cdn.example',
    'logo.svg',
    'data:image/svg+xml,x',
  ])('the logo is rejected at startup if it is on another origin: %s', (logo) => {
    expect(() => mfa({ service, logo })).toThrow('logo: must be a path on the app’s own origin')
  })
})

describe('the help link', () => {
  inFullRun('the help link is shown where users learn what to do without their device', async () => {
    const app = await startWebApp({ mfa: { helpUrl: 'https://help.example/mfa?from=sign-in' } })
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    const page = await browser.visit('/mfa?use=other')

    expect(page.text).toContain('<a href="https://help.example/mfa?from=sign-in">Get help</a>')
  })

  it.each(['javascript:alert(1)', 'http://help.example', '//help.example', 'help'])(
    'the help link cannot be %s',
    (url) => {
      expect(() => mfa({ service, helpUrl: url })).toThrow('helpUrl: must be a path such as /help, or an https address')
      expect(() => mfa({ service, passwordUrl: url })).toThrow('passwordUrl: must be a path such as /change-password')
    },
  )
})

describe('the footer', () => {
  inFullRun('the footer says who is signing in, and once the second step is passed who is signed in', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')

    const devices = await browser.visit('/mfa/devices')

    expect(page.text).toMatch(/Signing in as <strong><bdi>alice<.*Not you\?.*Sign out/s)
    expect(devices.text).toMatch(/Signed in as <strong><bdi>alice<.*Sign out/s)
    expect(devices.text).not.toContain('Not you?')
  })

  it('the footer shows the name that the app gives, and a username that says more', async () => {
    const app = await startWebApp({
      mfa: { user: ({ user }) => user && { username: 'anna@example.com', name: 'Anna Berg' } },
    })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const page = await browser.visit('/account')

    expect(page.text).toContain(
      'Signing in as <strong><bdi>Anna Berg</bdi></strong> <bdi class="since">anna@example.com</bdi>',
    )
  })
})

describeInFullRun('a page', () => {
  it.each([
    ['with its letter', { appName: '<&Co' }, /^data:image\/svg\+xml,.*>&lt;<\/text><\/svg>$/],
    ['by the app’s logo', { logo: '/logo.svg' }, /^\/logo\.svg$/],
  ])(
    'a page shows the app in the browser’s tab %s, so that no browser asks for another icon',
    async (_how, look, icon) => {
      const { page } = await pageWith(look)

      const shown = /<link rel="icon" href="([^"]+)">/.exec(page.text)?.[1] ?? ''

      expect(decodeURIComponent(shown)).toMatch(icon)
    },
  )

  it('the waiting page is less than 8 kB compressed, with everything it loads', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page } = await app.enroll(browser, 'alice')
    const files = [...page.text.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    const answers = await Promise.all(files.map(async (path) => (await fetch(app.url + path)).text()))

    const sizes = [page.text, ...answers].map((text) => gzipSync(text).length)

    expect(sizes).toHaveLength(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8192)
  })

  it('the waiting page loads 1 kB more while the person looks at the device', async () => {
    const app = await startWebApp()
    const { page } = await app.enroll(app.browser(), 'alice')
    const [, later = ''] = /data-later="([^"]+)"/.exec(page.text) ?? []

    const script = await (await fetch(app.url + later)).text()

    expect(script).toContain('indexedDB')
    expect(gzipSync(script).length).toBeLessThan(1100)
  })
})
