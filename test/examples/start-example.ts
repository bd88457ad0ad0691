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

/** An example as its readers start it, in an empty folder, with the package as it is built. */
export async function startExample(name: string, env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  const example = await startScript(join(root, 'examples', name), { PORT: '0', ...env }, folder)
  onTestFinished(async () => {
    example.kill()
    await example.ended
    await rm(folder, { recursive: true })
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
    stdout: example.stdout,
    stderr: example.stderr,
    browser: () => createBrowser(url),
    signIn,
    answer,
    passSecondStep,
  }
}
