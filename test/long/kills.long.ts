import { describe, expect, it, onTestFinished } from 'vitest'

import { startCluster } from '../processes/cluster.ts'
import { disturbedSignIns, enrollPeople, findWronglyVerified } from '../processes/disturbed.ts'
import { killAgainAndAgain, startKillable } from '../processes/killing.ts'
import type { Killable } from '../processes/killing.ts'

/** Of each kind. */
const times = Number(process.env.KILLS ?? 200)
/** Milliseconds; a kill and all that follows takes a few seconds. */
const timeout = times * 60_000

/** Kills of one kind; what they cost is in docs/guarantees.md. */
interface Kind {
  readonly name: string
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly nodes: number
  readonly kill: (killable: Killable, round: number) => Promise<void>
}

const killNode: Kind['kill'] = async ({ nodes }, round) => {
  const node = nodes[round % nodes.length]
  node?.kill()
  await node?.restart()
}

const kinds: readonly Kind[] = [
  { name: 'the process on SQLite', engine: 'SQLite', nodes: 1, kill: killNode },
  { name: 'a service node on PostgreSQL', engine: 'PostgreSQL', nodes: 2, kill: killNode },
  {
    name: 'PostgreSQL itself',
    engine: 'PostgreSQL',
    nodes: 2,
    async kill({ postgres }) {
      await postgres?.kill()
      await postgres?.restart()
    },
  },
]

describe(`${times} kills`, () => {
  it.each(kinds)(
    'killing $name again and again loses no acknowledged write and accepts nothing twice',
    { timeout },
    async (kind) => {
      const killable = await startKillable(kind.engine, kind.nodes, 60)
      onTestFinished(killable.stop)

      const { problems, verified, acknowledged } = await killAgainAndAgain(killable, times, (round) =>
        kind.kill(killable, round),
      )

      process.stdout.write(`${times} kills of ${kind.name}: ${acknowledged} acknowledged writes\n`)
      expect(problems).toEqual([])
      expect(verified).toBe(0)
    },
  )

  it('killing a web node mid-sign-in verifies no one wrongly and costs at most one retry', { timeout }, async () => {
    const cluster = await startCluster({ services: 1, fsync: true })
    onTestFinished(cluster.stop)
    const people = await enrollPeople(cluster, { approving: 3, denying: 0, typing: 1 })
    const begunTwice: string[] = []

    for (let round = 0; round < times; round += 1) {
      const node = cluster.webNodes[round % 2]!
      const { approved, typed } = await disturbedSignIns(cluster, people, async () => {
        node.kill()
        await node.restart()
      })
      for (const { username, verified, begun } of approved) {
        if (!verified || begun > 2) begunTwice.push(`${username} in round ${round}: ${begun}, verified: ${verified}`)
      }
      expect(typed.filter(({ verified }) => verified).length).toBeLessThanOrEqual(1)
    }

    expect(begunTwice).toEqual([])
    expect(await findWronglyVerified(cluster, people)).toEqual([])
  })
})
