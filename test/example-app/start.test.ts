import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createFlags } from '../../example-app/flags.ts'
import { phoneGreeting } from '../../example-app/greeting.ts'
import { openCertificates } from '../../example-app/https/certificate.ts'
import { lanAddresses, localName } from '../../example-app/https/lan.ts'
import { readSettings } from '../../example-app/settings.ts'
import { inFullRun } from '../support/full-run.ts'

const flags = (...args: string[]) => {
  const output: string[] = []
  const command = createFlags()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void output.push(text) })
  try {
    return { options: command.parse(args, { from: 'user' }).opts(), output }
  } catch {
    return { options: undefined, output }
  }
}

const address = (text: string, more: object = {}) => ({
  address: text,
  netmask: '255.255.255.0',
  family: 'IPv4' as const,
  mac: '00:00:00:00:00:00',
  internal: false,
  cidr: `${text}/24`,
  ...more,
})

describe('the flags of the example', () => {
  it('the flags of the example app are https, port and host', () => {
    expect(flags('--https', '--port', '8443', '--host', '192.0.2.7').options).toEqual({
      https: true,
      port: '8443',
      host: '192.0.2.7',
    })
  })

  it.each([[['--htps']], [['extra']], [['--port']]])(
    'the flags of the example app reject %j, and mention --help',
    (args) => {
      const { options, output } = flags(...args)

      expect(options).toBeUndefined()
      expect(output.join('')).toContain('--help')
    },
  )
})

describe('the settings of the example', () => {
  const lan = ['192.0.2.7', '198.51.100.4']

  it('the example app serves only this computer without https', () => {
    expect(readSettings({}, {}, lan)).toMatchObject({
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      trust: undefined,
    })
  })

  it('the example app serves the network with https, by the address that a phone reaches', () => {
    expect(readSettings({}, { https: true }, lan)).toMatchObject({
      host: '0.0.0.0',
      publicUrl: 'https://192.0.2.7:3000',
      trust: { url: 'http://192.0.2.7:3001/trust', port: 3001 },
    })
  })

  it('the example app uses the listening address as the public one', () => {
    expect(readSettings({}, { https: true, host: '198.51.100.4' }, lan).publicUrl).toBe('https://198.51.100.4:3000')
  })

  it('the example app has no address for phones without a network', () => {
    expect(readSettings({}, { https: true }, []).publicUrl).toBe('https://localhost:3000')
  })

  it('the example app prefers flags to the environment', () => {
    expect(readSettings({ PORT: '4000', HOST: '127.0.0.2' }, { port: '5000', host: '127.0.0.3' }, lan)).toMatchObject({
      port: 5000,
      host: '127.0.0.3',
    })
  })

  it.each([
    [{ PORT: 'x' }, {}, 'PORT or --port must be a number'],
    [{}, { port: '70000' }, 'PORT or --port must be between 1 and 65534'],
    [{ HOST: '' }, {}, 'HOST or --host must be an address'],
    [{}, { host: '', https: true }, 'HOST or --host must be an address'],
    [{ PUBLIC_URL: 'app.example' }, {}, 'PUBLIC_URL must be an address'],
    [{ PUBLIC_URL: 'http://app.example' }, { https: true }, 'PUBLIC_URL must start with https://'],
  ])('the example app rejects the environment %j with the flags %j and a message', (environment, flagValues, words) => {
    expect(() => readSettings(environment, flagValues, lan)).toThrow(words)
  })
})

describe('the greeting in the terminal with https', () => {
  async function greet(lan: readonly string[], args: { color?: boolean; host?: string } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'second-factor-https-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { authority } = await openCertificates(folder, ['localhost'], Math.floor(Date.now() / 1000))
    const { color = false, host } = args
    const settings = readSettings({}, { https: true, ...(host !== undefined && { host }) }, lan)
    return { authority, text: phoneGreeting(settings, { trustUrl: settings.trust!.url, authority, folder, color }) }
  }

  inFullRun(
    'the greeting in the terminal shows the addresses for computer and phone, a code to scan and the fingerprint',
    async () => {
      const { authority, text } = await greet(['192.0.2.7'])

      expect(text).toContain('On this computer   https://localhost:3000')
      expect(text).toContain('On your phone      https://192.0.2.7:3000')
      expect(text).toContain('http://192.0.2.7:3001/trust')
      expect(text).toContain('█')
      expect(text).toContain(authority.fingerprint256)
    },
  )

  it('the greeting in the terminal shows that there is no network, and no code', async () => {
    const { text } = await greet([])

    expect(text).toContain('this computer has no network address')
    expect(text).not.toContain('█')
    expect(text).not.toContain('Scan')
  })

  it('the greeting in the terminal shows the only address that the app listens on', async () => {
    expect((await greet(['192.0.2.7'], { host: '192.0.2.7' })).text).toContain(
      'On this computer   https://192.0.2.7:3000',
    )
  })

  it('the greeting in the terminal uses colors on terminals only', async () => {
    expect((await greet(['192.0.2.7'], { color: true })).text).toContain('\u001B[')
    expect((await greet(['192.0.2.7'])).text).not.toContain('\u001B[')
  })
})

describe("this computer's addresses", () => {
  it('this computer’s addresses are those reachable from its networks, virtual networks last', () => {
    const interfaces = {
      lo: [address('127.0.0.1', { internal: true })],
      docker0: [address('172.17.0.1')],
      eth0: [address('fe80::1', { family: 'IPv6' }), address('192.0.2.7')],
      wlan0: [address('198.51.100.4'), address('169.254.3.4')],
    }

    expect(lanAddresses(interfaces)).toEqual(['192.0.2.7', '198.51.100.4', '172.17.0.1'])
  })

  it.each([
    ['desk', 'desk.local'],
    ['Desk.local', 'desk.local'],
    ['desk.office.example', 'desk.local'],
    ['localhost', undefined],
    ['my desk', undefined],
  ])('this computer’s addresses contain the name %s as %s', (hostname, name) => {
    expect(localName(hostname)).toBe(name)
  })
})
