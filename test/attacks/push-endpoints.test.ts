import { createServer } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createPublicAgent } from '../../src/service/engine/outgoing/public-agent.ts'
import { isPublicAddress } from '../../src/service/engine/outgoing/public-address.ts'
import { unique } from '../service/features/codes/code-holder.ts'
import { read, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { startPushService } from '../support/push-service.ts'
import type { PushService } from '../support/push-service.ts'

/** The attacker has a device, and can therefore choose an endpoint that the service sends messages to. */
let pushes: PushService
let running: Running | undefined

beforeEach(async () => void (pushes = await startPushService()))
afterEach(async () => {
  await running?.close()
  running = undefined
  await pushes.close()
})

const start = async (push: object) => (running = await startService({ push }))
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** Waits until the service has given up the message, which happens in the background. */
async function untilRefused(service: Running): Promise<void> {
  while (!service.logged.some(({ message }) => message === 'push message not delivered')) await turn()
}

describe('an endpoint that a device names', () => {
  const elsewhere = [
    'http://fcm.googleapis.com/fcm/send/x',
    'https://fcm.googleapis.com:8443/fcm/send/x',
    'https://user:password@fcm.googleapis.com/fcm/send/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://evilpush.apple.com/x',
    'https://push.apple.com/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest/meta-data/',
    'https://localhost/x',
    'https://fcm.googleapis.com@127.0.0.1/x',
    'https://fcm.googleapis.com%2eevil.example/x',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '/device/remove',
    '',
  ]

  it.each(elsewhere)('the service rejects the push endpoint that a device names: %s', async (endpoint) => {
    const service = await start({ agent: pushes.agent() })
    const { device } = await service.enroll(unique())

    const answer = await read(await device.push({ ...pushes.subscribe(), endpoint }))

    expect(answer).toMatchObject({ status: 400, code: 'api.error.invalid.push' })
  })

  it('a push endpoint that leads elsewhere is ignored during activation', async () => {
    const service = await start({ agent: pushes.agent() })
    const endpoint = 'https://evil.example/x'

    const { ask, device } = await service.enroll(unique(), { push: { ...pushes.subscribe(), endpoint } })
    await ask()
    await turn()

    expect((await read(await device.get('/device/push'))).json).not.toHaveProperty('endpoint')
    expect(pushes.connections()).toBe(0)
  })

  it.each(['https://web.push.apple.com/x', 'https://wns2-par02p.notify.windows.com/w/?token=x'])(
    'the service accepts the push endpoint of a common browser: %s',
    async (endpoint) => {
      const service = await start({ agent: pushes.agent() })
      const { device } = await service.enroll(unique())

      expect((await device.push({ ...pushes.subscribe(), endpoint })).status).toBe(200)
    },
  )

  inFullRun('a push endpoint is rejected if its key is not on the curve', async () => {
    const service = await start({ agent: pushes.agent() })
    const { device } = await service.enroll(unique())
    const { endpoint, keys } = pushes.subscribe()

    const answer = await read(await device.push({ endpoint, keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } }))

    expect(answer.code).toBe('api.error.invalid.push')
  })
})

describe('a push service name that resolves to', () => {
  /** The service's own connections, with a name server that the attacker controls. */
  function agentBy(...addresses: string[]) {
    const addressRecords = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const agent = createPublicAgent((_name, _options, done) => done(null, addressRecords))
    Object.assign(agent.options, { port: pushes.port, ca: pushes.ca })
    return agent
  }

  it.each([['127.0.0.1'], ['::ffff:127.0.0.1'], ['127.0.0.1', '127.0.0.1'], ['127.0.0.1', '8.8.8.8']])(
    'a push service name that resolves to this machine is not contacted: %s',
    async (...addresses) => {
      const service = await start({ agent: agentBy(...addresses) })
      const { ask } = await service.enroll(unique(), { push: pushes.subscribe() })
      const givenUp = service.clock.timerSet(1)

      await ask()
      await givenUp

      expect(pushes.connections()).toBe(0)
    },
  )

  const inner =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.8.9.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1 203.0.113.9 ' +
    ':: ::1 ::ffff:8.8.8.8 64:ff9b::7f00:1 fe80::1 fc00::1 fd12::1 ff02::1 2001:db8::1 2002:7f00:1:: 2001::1 3fff::1'

  inFullRun.each(inner.split(' '))(
    'a push service name that resolves to the address %s is not contacted',
    async (address) => {
      const agent = agentBy(address)
      const failure = await new Promise((resolve) => {
        get('https://fcm.googleapis.com/', { agent }).once('error', resolve)
      })

      expect(isPublicAddress(address)).toBe(false)
      expect(failure).toMatchObject({ message: 'The host must have a public address.' })
    },
  )

  it.each(['127.0.0.1', '169.254.169.254', '[::1]', '[::ffff:127.0.0.1]'])(
    'the address %s is not contacted, also where no name server is asked',
    async (host) => {
      const agent = agentBy('8.8.8.8')
      const failure = await new Promise((resolve) => {
        get(`https://${host}/`, { agent }).once('error', resolve)
      })

      expect(failure).toMatchObject({ message: 'The host must have a public address.' })
      expect(pushes.connections()).toBe(0)
    },
  )

  it.each(['8.8.8.8', '172.32.0.1', '142.250.74.10', '2a00:1450:4001:80b::200a', '2620:149:a44::1'])(
    '%s is a public address',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

describe('a push service', () => {
  it('a push service cannot redirect messages to another address', async () => {
    const visited: string[] = []
    const other = createServer((req, res) => {
      visited.push(req.url ?? '')
      res.end()
    })
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const insideUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const service = await start({ agent: pushes.agent() })
    const { ask } = await service.enroll(unique(), { push: pushes.subscribe() })
    pushes.reply((res) => void res.writeHead(307, { location: `${insideUrl}/led` }).end())

    await ask()
    await untilRefused(service)
    // A redirected message would have arrived before this one.
    await fetch(`${insideUrl}/direct`)

    expect(visited).toEqual(['/direct'])
    expect(pushes.messages.length).toBe(1)
    other.close()
  })

  it('a push service is disconnected when its response is too long', async () => {
    const service = await start({ agent: pushes.agent() })
    const { ask } = await service.enroll(unique(), { push: pushes.subscribe() })
    const gone = Promise.withResolvers<void>()
    let sentBytes = 0
    pushes.reply((res) => {
      const chunk = Buffer.alloc(64 * 1024)
      res.writeHead(201)
      const writeMore = () => {
        if (res.destroyed) return
        sentBytes += chunk.length
        res.write(chunk, writeMore)
      }
      res.once('close', gone.resolve)
      writeMore()
    })

    await ask()
    await gone.promise

    expect(sentBytes).toBeLessThan(8 * 1024 * 1024)
  })

  inFullRun('a push service that switches protocols counts as disconnected, and does not block shutdown', async () => {
    const service = await start({ agent: pushes.agent() })
    const { ask } = await service.enroll(unique(), { push: pushes.subscribe() })
    const retryTimer = service.clock.timerSet(1)
    pushes.reply((res) => void res.socket?.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'))

    await ask()
    await retryTimer
    const received = pushes.received(2)
    await service.clock.advance(1)
    await received

    expect(pushes.messages.length).toBe(2)
  })

  it('a push service whose name server never answers does not delay messages to others', async () => {
    const agent = pushes.agent()
    const originalLookup = agent.options.lookup!
    // The name server of the other push service never answers.
    agent.options.lookup = (name, ...rest) => void (name === 'fcm.googleapis.com' && originalLookup(name, ...rest))
    const service = await start({ agent })
    const silent = { ...pushes.subscribe(), endpoint: 'https://updates.push.services.mozilla.com/x' }
    for (let people = 0; people < 24; people += 1) {
      const { ask } = await service.enroll(unique(), { push: silent })
      await Promise.all([ask(), ask(), ask()])
    }

    const { ask } = await service.enroll(unique(), { push: pushes.subscribe() })
    const { id } = await ask()
    await pushes.received(1)

    expect(pushes.messages[0]!.json).toEqual({ session: id })
  })
})
