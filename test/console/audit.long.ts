import { readFile } from 'node:fs/promises'

import type { Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, expectHeadline, link, signedIn, startDesk } from './desk.ts'

describe('the audit trail', () => {
  it('the audit trail says in words what happened, is filtered by links, and keeps the filter in its address', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    await desk.addPerson('bob', 'Bob Baker')
    const { page } = await signedIn(desk)
    await desk.clock.advance(3)
    await link(page, 'Audit').click()
    const rows = page.locator('tbody tr')

    await page.getByText('More filters').click()
    await page.getByLabel('Search people').fill('bob')
    await link(page, 'Bob Baker').click()
    await link(page, `Remove filter: About ${isolated('Bob Baker')}`).click()
    await rows.filter({ hasText: 'A person was added to an app' }).filter({ hasText: 'Alice Archer' }).click()
    await link(page, 'All entries about this person').click()
    await link(page, `Remove filter: About ${isolated('Alice Archer')}`).waitFor()
    await page.getByLabel('Event', { exact: true }).selectOption({ label: 'A person was added' })
    await expect.poll(() => rows.count()).toBe(1)
    await page.reload()
    await rows.first().waitFor()

    expect(await rows.allInnerTexts()).toEqual([expect.stringMatching(/^A person was added[^]*Alice Archer[^]*An app/)])
    expect(new URL(page.url()).search).toMatch(/^\?event=user\.created&user=[0-9a-f]{40}$/)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('a day of the filter can be typed, digit by digit', async () => {
    const { page } = await signedIn(await startDesk())
    await link(page, 'Audit').click()
    await page.getByText('More filters').click()
    const day = page.getByLabel('From', { exact: true })
    const enter = async (digits: string, date: string) => {
      await day.blur()
      await day.focus()
      await page.keyboard.type(digits)
      await page.waitForURL(/since=/)
      return [await day.inputValue(), await startOf(date)]
    }
    const startOf = (date: string) => page.evaluate((each) => String(new Date(`${each}T00:00`).getTime() / 1000), date)
    const since = () => new URL(page.url()).searchParams.get('since')

    const [typed, start] = await enter('11232026', '2026-11-23')
    const first = since()
    await expectHeadline(page, 'Audit')
    const [typedAgain, startAgain] = await enter('03292025', '2025-03-29')

    expect([typed, first]).toEqual(['2026-11-23', start])
    expect([typedAgain, since()]).toEqual(['2025-03-29', startAgain])
  })

  it('the audit trail describes entries in the current words, also those of an earlier version', async () => {
    const desk = await startDesk()
    const user = await desk.addPerson('alice', 'Alice Archer')
    await desk.recordEarlier('approval.approved', { approval: 'ab'.repeat(20), user, operation: 'resetPerson' })
    const { page } = await signedIn(desk)
    await desk.clock.advance(3)
    await link(page, 'Audit').click()

    await page.locator('tbody tr').filter({ hasText: 'Consent to an action of the help desk was given' }).click()

    expect(await page.getByRole('dialog').locator('dt').allInnerTexts()).toContain('Request for consent')
  })

  it('the audit trail is downloaded as it is filtered', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const { page } = await signedIn(desk)
    await desk.clock.advance(3)
    await page.goto(`${desk.url}/audit?event=user.created`)

    const [download] = await Promise.all([page.waitForEvent('download'), link(page, 'Export CSV').click()])
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')

    expect(download.suggestedFilename()).toMatch(/^audit-.*\.csv$/)
    // Spreadsheets read names with umlauts by the mark at the beginning.
    expect(lines).toEqual([expect.stringMatching(/^\ufeff"time","event"/), expect.stringContaining('user.created')])
  })

  it('the audit trail announces new entries until the person pauses, without keeping an absent person’s session alive', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await desk.clock.advance(3)
    await link(page, 'Audit').click()
    const preferHeaders: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('after=')) preferHeaders.push(request.headers()['prefer'])
    })

    await button(page, 'Follow live').click()
    await expect.poll(() => preferHeaders.length).toBe(1)
    await desk.addPerson('alice', 'Alice Archer', [])
    await desk.clock.advance(3)
    await page.getByRole('status').getByText('1 new entry').waitFor()
    await page.locator('tbody tr').filter({ hasText: 'Alice Archer' }).first().waitFor()
    await button(page, 'Pause').click()
    await button(page, 'Follow live').waitFor()

    expect(new Set(preferHeaders)).toEqual(new Set(['wait=25']))
    expect(new URL(page.url()).search).toBe('')
  })

  it('the audit trail is not followed while the page is hidden', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    const [startedUrls, endedUrls]: [string[], string[]] = [[], []]
    const note = (urls: string[]) => (request: Request) => {
      if (request.url().includes('after=')) urls.push(request.url())
    }
    page.on('request', note(startedUrls))
    page.on('requestfailed', note(endedUrls))
    const hide = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await page.goto(`${desk.url}/audit?live=1`)
    await expect.poll(() => startedUrls.length).toBe(1)

    await hide(true)
    await expect.poll(() => endedUrls.length).toBe(1)
    await hide(false)
    await expect.poll(() => startedUrls.length).toBeGreaterThan(1)
    await button(page, 'Pause').click()
    await button(page, 'Follow live').waitFor()

    expect(startedUrls).toHaveLength(2)
  })

  it('the audit trail is verified in the background, with a result that stays', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/audit`)

    await button(page, 'Verify now').click()
    await page.getByText('entries are as they were recorded').waitFor()
    await page.reload()

    await page.getByText(`Verified by ${isolated('Olivia Owner')}`).waitFor()
    expect(await page.getByRole('progressbar').count()).toBe(0)
  })

  it('the audit trail is not offered to the help desk', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk, { role: 'helpdesk', domains: ['Wiki'] })
    await expectHeadline(page, 'People')

    expect(await link(page, 'Audit').count()).toBe(0)
  })
})
