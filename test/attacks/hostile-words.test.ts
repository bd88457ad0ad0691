import { describe, expect, it } from 'vitest'

import { addAnother, phones, small } from '../authenticator/phone.ts'
import { button, headline } from '../authenticator/screen.ts'
import { inFullRun } from '../support/full-run.ts'

const phone = await phones()

/** An app, or a user who can name things in it, that tries to change what the screen says. */
const markup = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
const turned = '\u202Etxt.exe\u2066\u200F'
const long = 'W'.repeat(256)

describe('an app that sends hostile text', () => {
  it('hostile text of an app affects only itself: both answers stay visible, nothing runs, no text direction is reversed', async () => {
    const { service, page } = await phone.joined({
      context: { ...small, viewport: { width: 320, height: 600 } },
      domain: { name: 'W'.repeat(100) },
    })
    const attributes = [
      { key: markup.slice(0, 64), value: markup },
      { key: 'Approve', value: turned },
      { key: 'Browser', value: long },
      { key: 'browser', value: '\u05D0'.repeat(256) },
      { key: 'Place', value: 'Safe\nplace\u0000' },
      { key: 'Place', value: 'A\u0301'.repeat(128) },
      ...Array.from({ length: 10 }, () => ({ key: 'Time', value: long })),
    ]

    await service.ask('alice', { attributes, numberMatching: true, ipAddress: '203.0.113.7' })
    await headline(page, 'Sign in to WWW')
    const short = await page.locator('.card').innerText()
    const [deny, approve] = await Promise.all(
      ['Deny', 'Approve'].map(async (name) => (await button(page, name).boundingBox())!),
    )

    await button(page, 'Details').click()
    const details = await page.locator('.card').innerText()

    expect(await page.locator('.card script, .facts img').count()).toBe(0)
    expect(await page.title()).toBe('(1) Authenticator')
    for (const visibleText of [short, details]) {
      expect(visibleText).toContain('<script>')
      for (const character of ['\u202E', '\u2066', '\u200F', '\u0000']) expect(visibleText).not.toContain(character)
    }
    expect(short).toContain('+11')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    expect(approve!.y + approve!.height).toBeLessThanOrEqual(600)
    expect(deny!.x + deny!.width + 16).toBeLessThanOrEqual(approve!.x)
    expect(await page.locator('.facts > div').count()).toBe(16)
  })

  inFullRun('a hostile name cannot change the sentence around it', async () => {
    const { service, page } = await phone.joined({ context: { ...small, viewport: { width: 320, height: 600 } } })
    const name = `\u202Enimda\u2069 ${'W'.repeat(110)}`
    await addAnother(service, page, name)

    await service.ask(name)
    await page.getByRole('heading', { level: 1, name: 'Sign in to Wiki?' }).waitFor()

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    expect(await page.locator('.who bdi').first().innerText()).toMatch(/^\ufffdnimda\ufffd /)
    expect((await button(page, 'Approve').boundingBox())!.y).toBeLessThan(600)
  })
})
