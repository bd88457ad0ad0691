import { describe, expect, it, onTestFinished } from 'vitest'

import { startPeople } from '../support/full-sign-ins.ts'
import { startRetryingProxy } from '../support/retrying-proxy.ts'
import { startNodes } from '../support/service-nodes.ts'

describe('a rolling restart of all nodes behind a proxy that retries the next one', () => {
  it(
    'a rolling restart of all nodes behind a proxy that retries the next one loses no sign-in',
    { timeout: 120_000 },
    async () => {
      const nodes = await startNodes(2, ['--drain-seconds', '1'])
      onTestFinished(() => nodes.stop())
      const proxy = await startRetryingProxy(nodes.ports, 1_000)
      onTestFinished(() => proxy.close())
      const { app, signInUntil } = await startPeople(nodes, proxy.origin, 2)

      let restarted = false
      const signIns = signInUntil((count) => restarted && count >= 12, 200)
      const codes: (number | undefined)[] = []
      for (const port of nodes.ports) codes.push(await nodes.restart(port))
      restarted = true
      const { done, lost } = await signIns

      expect(lost).toEqual([])
      expect(app.trouble).toEqual([])
      expect(done).toBeGreaterThanOrEqual(12)
      expect(codes).toEqual([0, 0])
      expect(proxy.retries.refused).toBeGreaterThan(0)
    },
  )
})
