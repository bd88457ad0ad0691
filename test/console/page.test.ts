import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { languageNames } from '../../src/contract/languages.ts'
import { isolated } from '../../src/ground/printable.ts'
import { blockScript } from '../support/blocked-script.ts'
import { consoleSizes } from '../support/console-sizes.ts'
import { inFullRun } from '../support/full-run.ts'
import { button, expectHeadline, link, newBrowser, signedIn, startDesk } from './desk.ts'

describe('an invitation', () => {
  it('an invitation is accepted with a passkey, also after the person canceled, and leads into the console', async () => {
    const desk = await startDesk()
    const { page, authenticator } = await newBrowser()

    await page.goto(await desk.invite({ name: 'Olivia Owner', role: 'owner' }))
    await expectHeadline(page, `Welcome, ${isolated('Olivia Owner')}`)
    await page.getByLabel('Name of the passkey').fill('Work laptop')
    await authenticator.setVerifies(false)
    await button(page, 'Create a passkey').click()
    await page.getByText('The passkey wasn’t used').waitFor()
    await authenticator.setVerifies(true)
    await button(page, 'Create a passkey').click()
    await expectHeadline(page, 'Overview')
    await link(page, 'Administrators').click()

    await page.getByRole('row').nth(1).waitFor()
    expect(await page.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Last seen'),
      expect.stringMatching(/Olivia Owner\s*you[^]*Owner[^]*All apps/),
    ])
    expect(await authenticator.passkeys()).toHaveLength(1)
    expect(new URL(page.url()).pathname).toBe('/console/administrators')
  })

  inFullRun('an invitation leaves its token in no address', async () => {
    const desk = await startDesk()
    const { page } = await newBrowser()
    const invitation = await desk.invite({})
    const { hash } = new URL(invitation)
    const sentUrls: string[] = []
    page.on('request', (request) => sentUrls.push(request.url(), request.headers()['referer'] ?? ''))

    await page.goto(invitation)
    await expectHeadline(page, `Welcome, ${isolated('Olivia Owner')}`)

    expect(page.url()).toBe(`${desk.url}/invitation`)
    const addresses = await page.evaluate(() => navigation.entries().map(({ url }) => url))
    expect(addresses.filter((url) => url?.includes(hash.slice(1)))).toEqual([])
    expect(sentUrls.filter((url) => url.includes(hash.slice(1)))).toEqual([])
  })
})

describe('the page', () => {
  inFullRun.each(['index-', 'en-'])(
    'a page whose script %s… does not load says so after a while, and offers to load it again',
    async (name) => {
      const desk = await startDesk()
      const { page } = await newBrowser()
      const script = await blockScript(page, name)

      await page.goto(desk.url)
      await script.loadAgain()
      await expectHeadline(page, 'Sign in to the console')

      expect(await script.button.isVisible()).toBe(false)
    },
  )

  inFullRun.each(['index-', 'en-'])(
    'a page whose script %s… does not load keeps the token of its invitation, however often it is loaded again',
    async (name) => {
      const desk = await startDesk()
      const { page } = await newBrowser()
      const script = await blockScript(page, name)

      await page.goto(await desk.invite({}))
      await script.loadAgain({ inVain: true })
      await script.loadAgain()

      await expectHeadline(page, `Welcome, ${isolated('Olivia Owner')}`)
    },
  )

  it('the console starts with at most 55 kB of scripts, styles and texts, compressed, in any language', () => {
    const { start, texts, languages } = consoleSizes()

    expect(languages).toEqual(languages.map(() => Object.keys(languageNames).length))
    expect(start + texts).toBeLessThan(55_000)
  })

  it('all screens of daily work together are at most 85 kB, compressed', () => {
    const { start, texts, screens } = consoleSizes()

    expect(start + texts + screens).toBeLessThan(85_000)
  })

  // Few administrators ever open them, so they bring their own texts, and nobody else loads any of it.
  it('the screens of OpenID Connect are loaded when they are opened, at most 13 kB with their texts, compressed', () => {
    const { openId, openIdTexts } = consoleSizes()

    expect(openId).toBeGreaterThan(0)
    expect(openId + openIdTexts).toBeLessThan(13_000)
  })

  inFullRun('every screen is shown when it is opened first, and no script fails', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    const person = await desk.addPerson('alice', 'Alice Archer')
    const client = await desk.addOidcClient('Handbook')
    const { id: owner } = await desk.find('Olivia Owner')

    for (const [place, headline] of [
      ['people', 'People'],
      [`person?id=${person}`, 'Alice Archer'],
      ['jobs', 'Bulk actions'],
      ['overview', 'Overview'],
      ['audit', 'Audit'],
      ['apps', 'Apps'],
      [`domain?id=${desk.domainOf('Wiki')}`, 'Wiki'],
      ['openid', 'OpenID Connect'],
      ['openid-add?kind=sign-in', 'Whole sign-in for an app'],
      [`openid-client?id=${client.id}&domain=${client.domain}`, 'Handbook'],
      ['consents', 'Requests'],
      ['stock', 'Hardware tokens'],
      ['import', 'Import tokens'],
      ['administrators', 'Administrators'],
      [`administrator?id=${owner}`, 'Olivia Owner'],
      ['invite', 'Invite an administrator'],
      ['account', 'Your account'],
    ] as const) {
      await page.goto(`${desk.url}/${place}`)
      await expectHeadline(page, headline)
    }

    expect(errors).toEqual([])
  })

  it('the console’s page contains nothing inline, and loads nothing from elsewhere', () => {
    const html = readFileSync(new URL('../../dist/console/index.html', import.meta.url), 'utf8')

    expect(html).not.toMatch(/<style|<script(?![^>]* src="\.\/)|\son\w+=|https?:/)
  })
})
