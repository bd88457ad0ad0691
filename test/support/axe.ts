import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type axe from 'axe-core'
import type { Page } from 'playwright-core'

import { pageSession } from './kept-page.ts'

export interface AxeOptions {
  /** By default all: WCAG 2.2 A and AA, and axe's best practices. */
  readonly rules?: readonly string[] | undefined
  /** Selectors; by default the whole document. */
  readonly include?: readonly string[]
}

/** The minified one: it is shorter. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe calls a violation. A document loads axe once, which takes longer than a check. */
export async function axeViolations(page: Page, { rules, include }: AxeOptions = {}): Promise<string[]> {
  const loaded = await page.evaluate(() => 'axe' in window)
  if (!loaded) await load(page)
  const violations = await page.evaluate(runAxe, { rules: rules && [...rules], include: include && [...include] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** What the protocol evaluates, Chromium compiles once for all documents of a process. Playwright's `evaluate` calls `eval`. */
async function load(page: Page): Promise<void> {
  const session = await pageSession(page)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: `${source}; undefined` })
  if (exceptionDetails) throw new Error(exceptionDetails.text)
}

/** Runs in the page. */
async function runAxe({ rules, include }: { rules: string[] | undefined; include: string[] | undefined }) {
  const { axe: loaded } = window as unknown as { axe: typeof axe }
  const context = include ? { include: include.map((selector) => [selector]) } : document
  const runOnly = rules && ({ type: 'rule', values: rules } as const)
  const { violations } = await loaded.run(context, {
    resultTypes: ['violations'],
    // Our pages have neither frames nor media.
    preload: false,
    iframes: false,
    ...(runOnly && { runOnly }),
  })
  return violations
}
