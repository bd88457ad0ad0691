/**
 * `node --expose-gc bench/inboxes.ts [count]`: so many devices (10,000) hold their inbox open at one process of the
 * service, with real signatures, each renewing it every 25 s. Prints the memory each takes, how busy that keeps the
 * process, and how long a session takes to reach its device, and an approval the one who waits. The devices are in
 * another process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'

import { addDevices } from '../test/support/crowd/devices.ts'
import { startService } from './running-service.ts'
import { spread } from './spread.ts'

const count = Number(process.argv[2] ?? 10_000)
const sessions = 300
/** Longer than a call is held, so that each was renewed. */
const restFor = 30_000

const service = await startService('SQLite')
const { ids, privateKey, serviceId } = await addDevices(service.database, service.domainId, count)
const before = memory()
const phones = fork(new URL('./inboxes/phones.ts', import.meta.url))
phones.once('exit', () => process.exit(1))
const nextMessage = async <T>(): Promise<T> => ((await once(phones, 'message')) as [T])[0]

try {
  const { url, apiKey, domainId } = service
  phones.send({ url, apiKey, domainId, ids, privateKey, serviceId, sessions })
  const { opened } = await nextMessage<{ opened: number }>()
  const after = memory()
  const each = (kind: 'rss' | 'heapUsed') => `${((after[kind] - before[kind]) / count / 1024).toFixed(1)} kB`
  console.log(`${count} inboxes       opened in ${(opened / 1000).toFixed(1)} s`)
  console.log(`memory of each      ${each('rss')} resident, of it ${each('heapUsed')} heap`)

  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, restFor))
  const { user, system } = process.cpuUsage(cpu)
  const busy = ((user + system) / 1000 / restFor) * 100
  const late = (percentile: number) => (delay.percentile(percentile) / 1e6 - 5).toFixed(1)
  console.log(
    `while they wait     ${busy.toFixed(0)} % of a core, event loop late by ${late(50)} ms, 99 % within ${late(99)} ms`,
  )

  phones.send('ask')
  const { toInbox, toClient } = await nextMessage<{ toInbox: number[]; toClient: number[] }>()
  console.log(`session to inbox    ${spread(toInbox)}`)
  console.log(`approve to client   ${spread(toClient)}`)
} finally {
  phones.removeAllListeners('exit')
  phones.kill()
  await service.close()
}

function memory(): NodeJS.MemoryUsage {
  globalThis.gc?.()
  return process.memoryUsage()
}
