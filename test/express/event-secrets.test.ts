import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { MfaEvent } from 'second-factor'
import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import type { Browser } from '../support/browser.ts'
import { shownCode } from '../support/shown-code.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** What a page shows or carries that is for one person alone. */
const secretsOf = (text: string): string[] =>
  [
    /#code=([a-z0-9]{10})/g,
    /id="number"[^>]*>(\d+)</g,
    /name="page" value="([^"]+)"/g,
    /secret=([A-Z2-7]{16,})/g,
    /\b(\d{9})\b/g,
  ].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))

describe('the events of a long story', () => {
  it('the events of a long story contain none of the secrets that were shown, typed or stored', async () => {
    const events: MfaEvent[] = []
    const factors = ['push', 'otp', 'bypass', 'email'] as const
    const app = await startWebApp({
      mfa: {
        onEvent: (event) => void events.push(event),
        factors: [...factors],
        recoveryCodes: true,
        remember: { days: 1 },
      },
    })
    const { baseUrl, apiKey, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const secrets = new Set<string>([apiKey])
    const browser = app.browser()
    const look = async (path: string, visitor: Browser = browser) => {
      const page = await visitor.visit(path)
      for (const secret of secretsOf(page.text)) secrets.add(secret)
      secrets.add(shownCode(page)?.secret ?? '')
      for (const name of ['connect.sid']) secrets.add(visitor.cookie(name)?.slice(4) ?? '')
      return page
    }

    const { account } = await app.enroll(browser, 'alice')
    await look('/mfa')
    await browser.submit('/mfa/code', { code: '135791' })
    await browser.submit('/mfa/email')
    await app.answer(account, 'report')
    await look('/mfa')
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 2, expirationTime: 60 })
    await browser.submit('/mfa/remember', { remember: 'yes' })
    await browser.submit('/mfa/code', { code })
    secrets.add(browser.cookie('mfa-browser') ?? '')
    await browser.submit('/mfa/devices/device')
    await look('/mfa?use=code')
    await browser.submit('/mfa/code', { code })
    await browser.submit('/mfa/devices/device')
    for (const path of ['/mfa/devices', '/mfa/devices/app', '/mfa/devices/device', '/mfa/recovery']) await look(path)
    await browser.submit('/mfa/devices/codes', { again: 'yes' })
    await look('/mfa/devices/codes')
    await browser.submit('/mfa/cancel', {}, { 'sec-fetch-site': 'cross-site' })
    await app.clock.advance(901)
    const page = await look('/danger')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    for (const secret of ['135791', code]) secrets.add(secret)

    const eventLines = events.map((event) => JSON.stringify({ ...event, at: undefined, until: undefined, address: '' }))
    const written = [...eventLines, ...app.trouble]
    // A number of two digits is found in any id: as a whole word it would be one.
    const isIn = (secret: string, line: string) =>
      secret.length > 2 ? line.includes(secret) : new RegExp(`\\b${secret}\\b`).test(line)
    const leakedSecrets = [...secrets].filter((secret) => secret && written.some((line) => isIn(secret, line)))
    expect(secrets.size).toBeGreaterThan(15)
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['browser.remembered', 'recovery_codes.made']),
    )
    expect(leakedSecrets).toEqual([])
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(7)
  })

  it('all types of events are documented', () => {
    const source = readFileSync(join(root, 'src/express/request/events.ts'), 'utf8')
    const types = new Set([...source.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type ?? ''))
    const text = readFileSync(join(root, 'docs/events.md'), 'utf8')

    expect([...types].filter((type) => !text.includes(`\`${type}\``))).toEqual([])
  })
})
