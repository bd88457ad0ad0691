import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'

import { launchChromium } from './chromium.ts'
import { createFakeCamera } from './fake-camera.ts'
import { isKept } from './kept-page.ts'

/** What all its pages film, and are allowed to. */
export const camera = await createFakeCamera()
process.on('exit', () => camera.remove())

let shared: Promise<Browser> | undefined

/**
 * The Chromium that the test files of a worker share: a start takes longer than some tests. It ends with the worker.
 * Await it at the top of a file.
 */
export async function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium({ args: camera.args })
  const browser = await shared
  afterAll(async () => {
    const ended = browser.contexts().filter((context) => !isKept(context))
    await Promise.all(ended.map((context) => context.close()))
  })
  return browser
}
