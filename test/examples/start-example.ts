import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { onTestFinished } from 'vitest'
import type { afterAll } from 'vitest'

import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { startScript } from '../processes/command.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { numberOn, people } from '../support/web-app.ts'

interface ExampleOptions {
  /** The folder of another one, for a second process of the same app; by default an empty folder. */
  readonly shared?: string
  /** When it ends: with the test, or with the tests of the file, where it starts at the top. */
  readonly until?: typeof onTestFinished | typeof afterAll
}

/**
 * An example as its readers start it, with the package as it is built.
 *
 * @param name The path of its file, in `examples/` or elsewhere.
 */
export async function startExample(
  name: string,
  env: NodeJS.ProcessEnv = {},
  { shared, until = onTestFinished }: ExampleOptions = {},
) {
  const folder = shared ?? (await mkdtemp(join(tmpdir(), 'example-')))
  const example = await startScript(resolve(root, 'examples', name), { PORT: '0', ...env }, folder)
  until(async () => {
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
    /** Only for a process with `movable-clock.ts`. */
    async moveClock() {
      example.signal('SIGUSR2')
      await example.printed(/The clock is/)
    },
    async stop() {
      example.kill()
      await example.ended
    },
    signIn,
    answer,
    passSecondStep,
  }
}
