/** Starts the example app, and a service inside it unless `MFA_BASE_URL` names one. */
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'

import type { Express } from 'express'
import { embedded } from 'second-factor/service'

import { createExampleApp } from './app.ts'
import { createFlags } from './flags.ts'
import { greeting, phoneGreeting } from './greeting.ts'
import { lanAddresses } from './https/lan.ts'
import { openSecureDoors } from './https/secure-doors.ts'
import { closeDoors, listen } from './listening.ts'
import type { Door } from './listening.ts'
import { sessionSecret } from './session-secret.ts'
import { readSettings } from './settings.ts'
import type { Settings } from './settings.ts'

const flags = createFlags().parse()

try {
  await start(readSettings(process.env, flags.opts(), lanAddresses(networkInterfaces())))
} catch (error) {
  console.error(`The example app could not start: ${error instanceof Error ? error.message : 'for an unknown reason'}`)
  process.exitCode = 1
}

async function start(settings: Settings): Promise<void> {
  const { data, publicUrl } = settings
  await mkdir(data, { recursive: true, mode: 0o700 })
  const service = settings.hosted ? undefined : openService(data)
  const { app, close } = createExampleApp({
    database: join(data, 'example.sqlite'),
    ...(service && { service }),
    sessionSecret: await sessionSecret(join(data, 'session-secret')),
    publicUrl,
    logger: console,
  })
  const { doors, words } = await openDoors(app, settings)
  const end = async () => {
    await closeDoors(doors, () => service?.close())
    close()
  }
  try {
    await service?.connect()
    for (const door of doors) await listen(door, settings.host)
  } catch (error) {
    await end()
    throw error
  }
  closeOnSignals(end)
  console.log(words)
}

/** Its names are what people see on their device. */
function openService(data: string) {
  const names = { organization: 'Example Inc.', domain: 'Example' }
  return embedded({ database: join(data, 'mfa.sqlite'), logger: serviceLog(), ...names })
}

/** What the service says, as sentences: its details matter where something failed. */
function serviceLog() {
  return {
    info() {},
    warn: (_details: object, message: string) => console.warn(`\n  ${message}`),
    error: (details: object, message: string) => console.error(message, details),
  }
}

/** What the app is reached by, and what to tell whoever started it. */
async function openDoors(app: Express, settings: Settings): Promise<{ doors: readonly Door[]; words: string }> {
  const { trust, data, port, publicUrl } = settings
  if (!trust) return { doors: [{ server: createServer(app), port }], words: greeting(settings) }
  const folder = join(data, 'https')
  const { doors, authority } = await openSecureDoors(app, { folder, port, publicUrl, trustPort: trust.port })
  const colour = process.stdout.isTTY && !process.env['NO_COLOR']
  return { doors, words: phoneGreeting(settings, { trustUrl: trust.url, authority, folder, colour }) }
}

function closeOnSignals(end: () => Promise<void>): void {
  let ending = false
  const onSignal = () => {
    // A terminal and npm both pass Ctrl+C on: once is enough.
    if (ending) return
    ending = true
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}
