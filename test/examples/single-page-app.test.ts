import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser } from 'playwright-core'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { root } from '../../scripts/run.ts'
import { activate, numberOn, signIn, typeNumber } from '../story/person.ts'
import { launchChromium } from '../support/chromium.ts'
import { startExample } from './start-example.ts'

let chromium: Browser

beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(() => chromium.close())

describe('single-page-app.js', () => {
  it.each<[string, (app: string) => Promise<string>]>([
    ['as it is', (app) => Promise.resolve(app)],
    ["behind Vite's dev server", startVite],
  ])('leads to the second step and back to the view that the person was in, %s', async (_, front) => {
    const example = await startExample('single-page-app.js')
    const url = await front(example.url)
    const contexts = await Promise.all([chromium.newContext(), chromium.newContext()])
    onTestFinished(() => Promise.all(contexts.map((context) => context.close())).then(() => undefined))
    const page = await contexts[0].newPage()

    await page.goto(`${url}/#/orders`)
    await signIn(page, 'alice', 'secret')
    const authenticator = await activate(contexts[1], page)
    await page.locator('#number').waitFor()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Not now' }).click()

    await page.getByRole('heading', { name: 'Orders of Alice' }).waitFor()
    expect(page.url()).toBe(`${url}/#/orders`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

/** Vite with the example's own configuration. @returns its address. */
async function startVite(app: string): Promise<string> {
  vi.stubEnv('APP', app)
  onTestFinished(() => void vi.unstubAllEnvs())
  const cacheDir = await mkdtemp(join(tmpdir(), 'vite-'))
  const vite = await createServer({
    root: join(root, 'examples/single-page-app'),
    cacheDir,
    logLevel: 'silent',
    server: { port: 0, host: 'localhost', ws: false },
  })
  onTestFinished(async () => {
    await vite.close()
    await rm(cacheDir, { recursive: true })
  })
  await vite.listen()
  const [address = ''] = vite.resolvedUrls?.local ?? []
  return address.replace(/\/$/, '')
}
