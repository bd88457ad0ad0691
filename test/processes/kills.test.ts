import { expect, it, onTestFinished } from 'vitest'

import { killAgainAndAgain, startKillable } from './killing.ts'

it(
  'a service on SQLite that is killed loses no acknowledged write and accepts nothing twice',
  { timeout: 300_000 },
  async () => {
    const killable = await startKillable('SQLite', 1, 4)
    onTestFinished(killable.stop)
    const [node] = killable.nodes

    const { problems, verified } = await killAgainAndAgain(killable, 3, async () => {
      node?.kill()
      await node?.restart()
    })

    expect(problems).toEqual([])
    expect(verified).toBe(0)
  },
)
