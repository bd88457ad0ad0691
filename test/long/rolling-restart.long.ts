import { expect, it, onTestFinished } from 'vitest'

import { startPeople } from '../support/full-sign-ins.ts'
import { startNginx } from '../support/nginx.ts'
import { startNodes } from '../support/service-nodes.ts'

it(
  'none of 2,000 sign-ins is lost while three nodes behind nginx restart one after another, every 250 sign-ins',
  { timeout: 1_800_000 },
  async () => {
    const nodes = await startNodes(3, ['--drain-seconds', '5'])
    onTestFinished(() => nodes.stop())
    const nginx = await startNginx(nodes.ports, 4)
    onTestFinished(() => nginx.close())
    const { app, signInUntil } = await startPeople(nodes, nginx.origin, 6)

    const codes: (number | undefined)[] = []
    let due = 0
    let restarts = Promise.resolve()
    const restartAll = async () => {
      for (const port of nodes.ports) codes.push(await nodes.restart(port))
    }
    const begun = performance.now()
    const { done, lost } = await signInUntil((count) => {
      if (count >= due) {
        due += 250
        restarts = restarts.then(restartAll)
      }
      return count >= 2_000
    })
    await restarts

    const seconds = Math.round((performance.now() - begun) / 1000)
    process.stdout.write(`${done} sign-ins, ${lost.length} lost, ${codes.length} restarts, ${seconds} s\n`)
    expect(lost).toEqual([])
    expect(app.trouble).toEqual([])
    expect(codes.every((code) => code === 0)).toBe(true)
    expect(nginx.errors()).not.toContain('no live upstreams')
  },
)
