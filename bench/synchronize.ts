/**
 * `node bench/synchronize.ts [users] [SQLite|PostgreSQL]`: how long a synchronization takes, and for how long nobody else gets
 * an answer meanwhile. Prints for each of several bodies its time and the longest pause of the event loop and of a
 * reading caller, milliseconds.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { createService } from '../src/service/service.ts'
import { startPostgres } from '../test/support/postgres.ts'

const count = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'second-factor-bench-'))
const postgres = process.argv[3] === 'PostgreSQL' ? await startPostgres({ fsync: true }) : undefined
const database = (await postgres?.createDatabase()) ?? join(folder, 'mfa.sqlite')
const keys = `bench:${randomBytes(32).toString('base64')}`
const service = await createService({ database, keys })
const server = createServer(service.listener)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { id: organizationId } = await service.administration.createOrganization(`Benchmark ${Date.now()}`)
const { id: domainId } = await service.administration.createDomain(organizationId, { name: 'Benchmark' })
const apiKey = await service.administration.createApiKey(organizationId)
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
const headers = { authorization: `Service key="${apiKey}"` }

// Runs on a thread of its own, so that it measures the service and not itself.
const reader = new Worker(
  `const { workerData, parentPort } = require('node:worker_threads')
  let longest = 0
  parentPort.on('message', () => { parentPort.postMessage(longest); longest = 0 })
  ;(async () => {
    for (;;) {
      const start = performance.now()
      await (await fetch(workerData.url, { headers: workerData.headers })).text()
      longest = Math.max(longest, performance.now() - start)
    }
  })()`,
  { eval: true, workerData: { url: `${base}/domains/${domainId}`, headers } },
)
const measureSlowestRead = () =>
  new Promise<number>((resolve) => {
    reader.once('message', resolve)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    reader.postMessage('')
  })

let maxTurn = 0
let last = performance.now()
const watch = setInterval(() => {
  maxTurn = Math.max(maxTurn, performance.now() - last)
  last = performance.now()
}, 1)

async function measure(name: string, users: object[]): Promise<void> {
  const worker = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads')
    const body = JSON.stringify(workerData.users)
    const start = performance.now()
    fetch(workerData.url, { method: 'PUT', headers: workerData.headers, body }).then(async (response) => {
      parentPort.postMessage([response.status, performance.now() - start, await response.text(), body.length])
    })`,
    { eval: true, workerData: { url: `${base}/domains/${domainId}/users`, headers, users } },
  )
  // Handing over the users is no work of the service.
  await new Promise((resolve) => void worker.once('online', resolve))
  await measureSlowestRead()
  maxTurn = 0
  last = performance.now()
  const [status, took, text, size] = await new Promise<[number, number, string, number]>((resolve) => {
    worker.once('message', resolve)
  })
  const read = await measureSlowestRead()
  console.log(
    `${name.padEnd(28)} ${status} ${text.slice(0, 80)}${(took / 1000).toFixed(2).padStart(7)} s, event loop ${Math.round(maxTurn)} ms, reader ${Math.round(read)} ms, ${(size / 1e6).toFixed(1)} MB`,
  )
}

const users = Array.from({ length: count }, (_, index) => ({
  username: `person${index}@example.com`,
  name: `Person Number ${index}`,
  email: `person${index}@example.com`,
}))
await measure(`${count} new`, users)
await measure('the same again', users)
await measure('half of them', users.slice(count / 2))
await measure('all of them again', users)
await measure(
  'all with another name',
  users.map((user) => ({ ...user, name: `${user.name} the Second` })),
)
await measure('none', [])

clearInterval(watch)
await reader.terminate()
server.closeAllConnections()
server.close()
await service.close()
await postgres?.stop()
rmSync(folder, { recursive: true })
