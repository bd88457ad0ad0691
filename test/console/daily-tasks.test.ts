import { describe, expect, it } from 'vitest'

import { signedIn, startDesk } from './desk.ts'
import { doTask, tasks } from './tasks.ts'

describe('an administrator', () => {
  it.each(Object.entries(tasks))('%s in three clicks from the search, and in a few seconds', async (_, task) => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    await desk.addPerson('bob', 'Bob Baker')
    await task.prepare?.(desk)
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })

    const { clicks, seconds } = await doTask(page, task)

    expect(clicks).toBeLessThanOrEqual(3)
    // What is left of half a minute belongs to the people.
    expect(seconds).toBeLessThan(10)
  })
})
