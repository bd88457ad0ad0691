import { describe, expect, it } from 'vitest'

import { signedIn, startDesk } from './desk.ts'
import { doTask, tasks } from './tasks.ts'

describe('an administrator', () => {
  it('does each daily task in three clicks from the search, and in a few seconds', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    await desk.addPerson('bob', 'Bob Baker')
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })

    for (const [name, task] of Object.entries(tasks)) {
      await task.prepare?.(desk)
      await page.goto(`${desk.url}/people`)
      const { clicks, seconds } = await doTask(page, task)

      expect(clicks, name).toBeLessThanOrEqual(3)
      // What is left of half a minute belongs to the people.
      expect(seconds, name).toBeLessThan(10)
    }
  })
})
