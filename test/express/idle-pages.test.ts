import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startWebApp } from '../support/web-app.ts'

/** Tells of each commit to the database that changed anything. */
async function arrange() {
  const folder = mkdtempSync(join(tmpdir(), 'idle-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'mfa.sqlite')
  const app = await startWebApp({ database })
  const browser = app.browser()
  await app.signIn(browser, 'mallory')
  const page = await browser.visit('/account')
  const watcher = new Database(database, { readonly: true })
  onTestFinished(() => void watcher.close())
  return { app, browser, page, version: () => watcher.pragma('data_version', { simple: true }) }
}

describe('the page that sets up a first device', () => {
  it('the page that sets up a first device writes nothing when it is reloaded, because each write blocks all others', async () => {
    const { app, browser, page, version } = await arrange()
    const versionBefore = version()

    const reloadedPages = [await browser.open('/mfa'), await browser.open('/mfa'), await browser.open('/mfa')]

    const codeOn = ({ text }: { text: string }) => /#code=(\w+)/.exec(text)?.[1]
    expect(codeOn(page)).toBeDefined()
    expect(reloadedPages.map(codeOn)).toEqual(Array(3).fill(codeOn(page)))
    expect(version()).toBe(versionBefore)
    // A page that has something to write is seen here.
    const other = app.browser()
    await app.signIn(other, 'bob')
    await other.visit('/account')
    expect(version()).not.toBe(versionBefore)
  })
})
