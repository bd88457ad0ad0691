import { describe, expect, it } from 'vitest'

import { signedIn, startDesk } from './desk.ts'
import { doTask, tasks } from './tasks.ts'

describe('an administrator', () => {
  it('does each daily task in three clicks after typing into the search, and in a few seconds', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    await desk.addPerson('bob', 'Bob Baker')
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })

    const done: { readonly name: string; readonly clicks: number; readonly seconds: number }[] = []
    for (const [name, task] of Object.entries(tasks)) {
      await task.prepare?.(desk)
      await page.goto(`${desk.url}/people`)
      done.push({ name, ...(await doTask(page, task)) })
    }

    // What is left of half a minute belongs to the people.
    expect(done.filter(({ clicks, seconds }) => clicks > 3 || seconds > 10)).toEqual([])
  })
})
