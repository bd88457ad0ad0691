import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { addDevices } from '../../test/support/crowd/devices.ts'
import { forEachOf } from '../../test/support/crowd/http-client.ts'
import { measurable, measure } from '../../test/support/crowd/measured.ts'
import { createRestCaller } from '../loads/rest-caller.ts'
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
/** Lets these devices, or the clients of their users, wait. @returns what ends that. */
type Hold = (ids: Devices['ids']) => Promise<() => void>

/** Measured once each: memory does not depend on the load of the machine. */
async function cost(
  { folder }: Run,
  name: string,
  prepare: (service: Service, devices: Devices) => Hold | Promise<Hold>,
) {
  const socket = join(folder, `${name}.sock`)
  const { NODE_OPTIONS, ...env } = measurable(socket)
  const options = `${NODE_OPTIONS} --max-semi-space-size=16`
  const service = await startService(sqliteFile(folder, name), { env: { ...env, NODE_OPTIONS: options } })
  const devices = await addDevices(service.given.database, service.given.domainId, earlier + count)
  const hold = await prepare(service, devices)
  const probe = measure(service.pid, socket)
  const releaseEarlier = await hold(devices.ids.slice(0, earlier))
  const before = await probe.memory()
  const release = await hold(devices.ids.slice(earlier))
  const after = await probe.memory()
  releaseEarlier()
  release()
  await service.stop()
  const each = (kind: 'rss' | 'heapUsed') => [(after[kind] - before[kind]) / count / 1024]
  return { resident: each('rss'), heap: each('heapUsed') }
}

function holdInboxes({ given: { url, apiKey, domainId } }: Service, devices: Devices): Hold {
  return async (ids) => {
    const phones = fork(new URL('../inboxes/phones.ts', import.meta.url))
    phones.send({ url, apiKey, domainId, ...devices, ids, sessions: 0 })
    await once(phones, 'message')
    return () => void phones.kill()
  }
}

/** The sessions are created before: what that takes and reserves is not the memory of a read. */
async function holdReads({ given: { url, apiKey, domainId } }: Service, { ids }: Devices): Promise<Hold> {
  const { http, get, post } = createRestCaller(url, apiKey)
  const sessions = new Map<string, string>()
  await forEachOf(ids, 32, async ({ user }) => {
    const { id } = await post<{ id: string }>(`/domains/${domainId}/sessions`, { user: { id: user } })
    sessions.set(user, id)
  })
  return async (heldUsers) => {
    let released = false
    const read = async (user: string) => {
      const path = `/api/domains/${domainId}/sessions/${sessions.get(user)}`
      const headers = {
        accept: 'application/vnd.service.v1+json; version=1.4',
        authorization: `Service key="${apiKey}"`,
        prefer: 'wait=50',
      }
      const response = await http.open({ method: 'GET', path, headers })
      if (!released) throw new Error(`a held read was answered with ${response?.statusCode}`)
    }
    await forEachOf(heldUsers, 8, async ({ user }) => {
      void read(user)
      // Not all at once: the service would reject most of them.
      await get(`/domains/${domainId}`)
    })
    // The last of them are on their way still.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    // They end with the service.
    return () => void (released = true)
  }
}
