import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { addDevices } from '../../test/support/crowd/devices.ts'
import { createHttpClient, forEachOf } from '../../test/support/crowd/http-client.ts'
import { measurable, measure } from '../../test/support/crowd/measured.ts'
import { createClient } from '../../src/client/client.ts'
import type { Run, Row } from '../row.ts'
import { figure } from '../row.ts'
import { sqliteFile, startService } from './start-service.ts'

const count = 10_000
/** So many wait before the measurement begins: what the first requests compile, cache and reserve does not count. */
const earlier = 500

const memoryRest =
  'A held request of node:http without any work takes about 20 kB. Tried, with gain: no router of Express (2 kB), rows that V8 keeps with fixed places ' +
  'instead of as a hash table (1.4 kB), no weak map by request, one object for the logger of a request instead of three functions, ' +
  'a list for each awaited change instead of a Set, path parameters that are no hash table (these three 0.6 to 0.9 kB).'

export const memory: Row = {
  name: 'memory',
  title: 'Memory of waiting users',
  work:
    `${count.toLocaleString('en-US')} devices hold their inbox open at one service (\`Prefer: wait\`), or as many clients hold the read of a pending session. ` +
    `Another ${earlier} wait before. The figure is the memory that the service needs in addition, divided by their number, after a garbage collection. Node runs with \`--max-semi-space-size=16\`, as in the systemd unit and the Dockerfile. There is no peer.`,
  columns: [
    { key: 'resident', title: 'resident kB each', unit: 'kB' },
    { key: 'heap', title: 'heap kB each', unit: 'kB' },
  ],
  chart: 'resident',
  lowerIsBetter: true,
  async measure(run) {
    const inbox = await cost(run, 'inboxes', holdInboxes)
    const read = await cost(run, 'reads', holdReads)
    return {
      lines: [
        { name: 'an open inbox', ours: true, values: inbox },
        { name: 'a held read of a session', ours: true, values: read },
      ],
      goals: [
        {
          figure: 'an open inbox',
          value: inbox.resident[0] ?? Number.NaN,
          reach: 25,
          atMost: true,
          unit: 'kB',
          rest: memoryRest,
        },
        {
          figure: 'a held read',
          value: read.resident[0] ?? Number.NaN,
          reach: 25,
          atMost: true,
          unit: 'kB',
          rest: memoryRest,
        },
      ],
      findings: [`10,000 open inboxes take about ${figure(((inbox.resident[0] ?? 0) * 10_000) / 1024)} MB.`],
    }
  },
}

type Devices = Awaited<ReturnType<typeof addDevices>>
type Service = Awaited<ReturnType<typeof startService>>

/** Measured once each: memory does not depend on the load of the machine. */
async function cost({ folder }: Run, name: string, hold: (service: Service, devices: Devices) => Promise<() => void>) {
  const socket = join(folder, `${name}.sock`)
  const { NODE_OPTIONS, ...env } = measurable(socket)
  const options = `${NODE_OPTIONS} --max-semi-space-size=16`
  const service = await startService(sqliteFile(folder, name), { ...env, NODE_OPTIONS: options })
  const devices = await addDevices(service.given.database, service.given.domainId, earlier + count)
  const probe = measure(service.pid, socket)
  const releaseEarlier = await hold(service, { ...devices, ids: devices.ids.slice(0, earlier) })
  const before = await probe.memory()
  const release = await hold(service, { ...devices, ids: devices.ids.slice(earlier) })
  const after = await probe.memory()
  releaseEarlier()
  release()
  await service.stop()
  const each = (kind: 'rss' | 'heapUsed') => [(after[kind] - before[kind]) / count / 1024]
  return { resident: each('rss'), heap: each('heapUsed') }
}

async function holdInboxes({ given }: Service, devices: Devices): Promise<() => void> {
  const phones = fork(new URL('../inboxes/phones.ts', import.meta.url))
  const { url, apiKey, domainId } = given
  phones.send({ url, apiKey, domainId, ...devices, sessions: 0 })
  await once(phones, 'message')
  return () => void phones.kill()
}

async function holdReads({ given }: Service, { ids }: Devices): Promise<() => void> {
  const { url, apiKey, domainId } = given
  const client = createClient({ baseUrl: `${url}/api`, apiKey })
  const http = createHttpClient(url, '127.0.0.1')
  // Several at a time: on a busy machine the first reads would otherwise end before the last ones begin.
  await forEachOf(ids, 8, async ({ user }) => {
    const { id } = await client.sessions.create(domainId, { user: { id: user } })
    const path = `/api/domains/${domainId}/sessions/${id}`
    const headers = {
      accept: 'application/vnd.service.v1+json; version=1.4',
      authorization: `Service key="${apiKey}"`,
      prefer: 'wait=50',
    }
    void http.open({ method: 'GET', path, headers })
  })
  // The last of them are on their way still.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  // They end with the service.
  return () => {}
}
