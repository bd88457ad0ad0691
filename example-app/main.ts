/** Starts the example app, with a service inside it unless `MFA_BASE_URL` is set. */
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
import { createHttpsListeners } from './https/https-listeners.ts'
import { closeListeners, listen } from './listener.ts'
import type { Listener } from './listener.ts'
import { createPages } from './pages.ts'
import { sessionSecret } from './storage/session-secret.ts'
import { readSettings } from './settings.ts'
import type { Settings } from './settings.ts'
import { createTrustPages } from './trust-pages.ts'

const flags = createFlags().parse()

try {
  await start(readSettings(process.env, flags.opts(), lanAddresses(networkInterfaces())))
} catch (error) {
  console.error(`The example app could not start: ${error instanceof Error ? error.message : 'unknown error'}`)
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
  const { listeners, text } = await createListeners(app, settings)
  const end = async () => {
    await closeListeners(listeners, () => service?.close())
    close()
  }
  try {
    await service?.connect()
    for (const listener of listeners) await listen(listener, settings.host)
  } catch (error) {
    await end()
    throw error
  }
  closeOnSignals(end)
  console.log(text)
}

/** People see these names on their device. */
function openService(data: string) {
  const names = { organization: 'Example Inc.', domain: 'Example' }
  return embedded({ database: join(data, 'mfa.sqlite'), logger: serviceLog(), ...names })
}

/** Prints warnings as sentences, and errors with their details. */
function serviceLog() {
  return {
    info() {},
    warn: (_details: object, message: string) => console.warn(`\n  ${message}`),
    error: (details: object, message: string) => console.error(message, details),
  }
}

/** Creates the servers, and the text for the terminal. */
async function createListeners(
  app: Express,
  settings: Settings,
): Promise<{ listeners: readonly Listener[]; text: string }> {
  const { trust, data, port, publicUrl } = settings
  if (!trust) return { listeners: [{ server: createServer(app), port }], text: greeting(settings) }
  const folder = join(data, 'https')
  const { listeners, authority } = await createHttpsListeners(app, {
    folder,
    port,
    publicUrl,
    trustPort: trust.port,
    trustPages: (certificate) => createTrustPages(certificate, publicUrl, createPages()),
  })
  const color = process.stdout.isTTY && !process.env['NO_COLOR']
  return { listeners, text: phoneGreeting(settings, { trustUrl: trust.url, authority, folder, color }) }
}

function closeOnSignals(end: () => Promise<void>): void {
  let ending = false
  const onSignal = () => {
    // The terminal and npm both forward Ctrl+C.
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
