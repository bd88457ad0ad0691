import { describe, expect, it } from 'vitest'

import { ConsoleUrl } from '../../src/service/engine/front/console-address.ts'
import { consoleOf } from '../../src/cli/serve/console-options.ts'

const settings = { console: true, allowSharedOrigin: false }
const local = { host: '127.0.0.1', port: 8787, tls: undefined, socket: undefined }

describe('the console of second-factor serve', () => {
  it.each(['127.0.0.1', '::1', 'localhost'])(
    'the console of second-factor serve is at localhost while the service listens on %s',
    (host) => {
      const option = consoleOf(settings, { ...local, host })

      expect(option).toEqual({ console: { url: 'http://localhost:8787', allowSharedOrigin: true } })
    },
  )

  it('the console of second-factor serve is at localhost without a port while the service listens on port 80', () => {
    const option = consoleOf(settings, { ...local, port: 80 })

    expect(option).toEqual({ console: { url: 'http://localhost', allowSharedOrigin: true } })
    expect(ConsoleUrl.safeParse(option.console?.url).success).toBe(true)
  })

  it.each([
    ['on all addresses', { host: '0.0.0.0' }],
    ['on an address in the network', { host: '192.0.2.7' }],
    ['behind a proxy', { trustProxy: ['loopback'] }],
    ['with a certificate', { tls: { cert: Buffer.of(1), key: Buffer.of(2) } }],
    ['on a socket of systemd', { socket: 3 }],
    ['on a port that is not known yet', { port: 0 }],
  ])(
    'the console of second-factor serve is off without --console-url while the service listens %s',
    (_where, listening) => {
      const option = consoleOf(settings, { ...local, ...listening })

      expect(option).toEqual({})
    },
  )

  it('the console of second-factor serve is at the given address, alone on its host', () => {
    const option = consoleOf({ ...settings, consoleUrl: 'https://console.example' }, { ...local, host: '0.0.0.0' })

    expect(option).toEqual({ console: { url: 'https://console.example', allowSharedOrigin: false } })
  })

  it('the console of second-factor serve is off with --no-console', () => {
    const option = consoleOf({ ...settings, console: false, consoleUrl: 'https://console.example' }, local)

    expect(option).toEqual({})
  })
})
