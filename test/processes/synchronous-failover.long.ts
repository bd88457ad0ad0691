import { expect, it, onTestFinished } from 'vitest'

import { startFailoverCluster } from './failover.ts'

it('nodes lose no acknowledged change and accept nothing twice when the primary is killed and its synchronous standby is promoted', async () => {
  const cluster = await startFailoverCluster(3)
  onTestFinished(cluster.stop)

  const { problems } = await cluster.failOver({ writes: 1, delay: 0, hang: 200 })

  expect(problems).toEqual([])
})
