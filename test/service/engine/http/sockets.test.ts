import { Worker } from 'node:worker_threads'

import { expect, it, onTestFinished } from 'vitest'

import { listen } from '../../../../src/service/engine/http/listen.ts'

const address = { host: '127.0.0.1', port: 0 }

/** Connects from another thread, so that it works while this one is blocked. */
function connectWhileBlocked(port: number, count: number): Worker {
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(
    `const { workerData: { port, count, connected } } = require('node:worker_threads')
    for (let i = 0; i < count; i++) {
      const socket = require('node:net').connect(port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')
        Atomics.add(connected, 0, 1)
        Atomics.notify(connected, 0)
      })
      socket.on('error', () => {})
    }`,
    { eval: true, workerData: { port, count, connected } },
  )
  for (let now = 0; now < count; now = Atomics.load(connected, 0)) Atomics.wait(connected, 0, now)
  return worker
}

it.runIf(process.platform === 'linux')(
  'a listener accepts many waiting connections in a few turns of the event loop',
  async () => {
    const count = 128
    let answered = 0
    let allAnswered = () => {}
    const all = new Promise<void>((resolve) => (allAnswered = resolve))
    const listening = await listen((_req, res) => {
      res.end()
      answered += 1
      if (answered === count) allAnswered()
    }, address)
    let turns = 0
    const countTurns = () => {
      turns += 1
      if (answered < count) setImmediate(countTurns)
    }

    const worker = connectWhileBlocked(listening.port, count)
    onTestFinished(async () => {
      await worker.terminate()
      await listening.close()
    })
    setImmediate(countTurns)
    await all

    expect(turns).toBeLessThan(count / 2)
  },
)

it('a listener rejects a port on which another service of the same user listens', async () => {
  const first = await listen((_req, res) => void res.end(), address)
  onTestFinished(() => first.close())

  await expect(listen(() => {}, { ...address, port: first.port })).rejects.toThrow(/EADDRINUSE/)
})
