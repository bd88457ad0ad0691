import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/clock.ts'
import { startScript } from '../processes/command.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { numberOn, people } from '../support/web-app.ts'

/**
 * An example as its readers start it, with the package as it is built.
 * @param shared The folder of another one, for a second process of the same app; by default an empty folder.
 */
export async function startExample(name: string, env: NodeJS.ProcessEnv = {}, shared?: string) {
  const folder = shared ?? (await mkdtemp(join(tmpdir(), 'example-')))
  const example = await startScript(join(root, 'examples', name), { PORT: '0', ...env }, folder)
  onTestFinished(async () => {
    example.kill()
    await example.ended
    if (shared === undefined) await rm(folder, { recursive: true })
  })
  const url = example.origin
  const { signIn, activate, answer } = people(url, systemClock)

  /**
   * From the login on: sets up a device, is asked on it, and approves.
   * @param service The address of a service elsewhere.
   */
  async function passSecondStep(browser: Browser, path = '/', service?: string) {
    const account = await activate(await browser.visit(path), service)
    await answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    await browser.submit('/mfa/complete')
    return account
  }

  return {
    url,
    folder,
    stdout: example.stdout,
    stderr: example.stderr,
    browser: () => createBrowser(url),
    signIn,
    answer,
    passSecondStep,
  }
}
