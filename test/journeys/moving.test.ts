import { describe, expect, it } from 'vitest'

import { moveAll, signInAtPages } from '../support/moving.ts'
import { speakeasyPeople } from '../support/speakeasy-people.ts'
import { startWebApp } from '../support/web-app.ts'

describe('moving from another app', () => {
  it('people of an app with speakeasy sign in with the codes of their phones, and enroll nothing', async () => {
    const app = await startWebApp()
    const { movers, file } = speakeasyPeople(24)

    expect(await moveAll(app, file, { from: 'speakeasy' }, movers)).toBe(24)
    for (const mover of movers.slice(0, 3)) await signInAtPages(app, mover)
  })
})
