import { createClient } from 'second-factor/client'
import { expect } from 'vitest'

import { readFactors } from '../../src/service/features/imported-factors/files/read-factors.ts'
import type { FactorFileSettings } from '../../src/service/features/imported-factors/files/read-factors.ts'
import type { WebApp } from './web-app.ts'

/** A person of another app, and the codes that this app would accept. */
export interface Mover {
  readonly username: string
  /** @param seconds Unix time. */
  readonly codeAt: (seconds: number) => string | Promise<string>
}

/** Imports a file of another app over REST, and lets everybody sign in with the codes of that app. @returns how many did. */
export async function moveAll(
  app: WebApp,
  file: string,
  settings: FactorFileSettings,
  movers: readonly Mover[],
): Promise<number> {
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const rows = []
  for await (const batch of readFactors([Buffer.from(file)], settings)) rows.push(...batch)
  for (let start = 0; start < rows.length; start += 100) {
    const users = rows.slice(start, start + 100).map((row) => {
      if ('reason' in row) throw new Error(row.reason)
      return { username: row.username, app: row.app, recovery: [...(row.recovery ?? [])] }
    })
    const { users: outcomes } = await client.factors.import(domainId, users, { addUsers: true })
    expect(outcomes.filter(({ outcome }) => outcome !== 'stored')).toEqual([])
  }
  let count = 0
  for (const { username, codeAt } of movers) {
    const otp = await codeAt(app.clock.now())
    const session = await client.sessions.create(domainId, { user: { username }, otp })
    if (session.state === 'approved') count += 1
  }
  // What was used is not accepted again.
  await app.clock.advance(120)
  return count
}

/** Signs a person in at the pages of the app, who must never be offered an enrollment. */
export async function signInAtPages(app: WebApp, { username, codeAt }: Mover): Promise<void> {
  const browser = app.browser()
  await app.signIn(browser, username)
  const page = await browser.visit('/account')
  expect(page.text).not.toContain('#code=')
  await browser.submit('/mfa/code', { code: await codeAt(app.clock.now()) })
  expect((await browser.fetch('/account')).body.mfa?.verified?.factor).toBe('otp')
}
