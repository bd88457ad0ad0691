/** Starts the example app, and a service inside it unless `MFA_BASE_URL` names one. */
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { join } from 'node:path'

import { embedded } from 'second-factor/service'

import { createExampleApp } from './app.ts'
import { sessionSecret } from './session-secret.ts'
import { readSettings } from './settings.ts'
import type { Settings } from './settings.ts'

try {
  await start(readSettings(process.env))
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
  const server = createServer(app)
  const end = async () => {
    await closeServer(server, () => service?.close())
    close()
  }
  try {
    await service?.connect()
    await listen(server, settings)
  } catch (error) {
    await end()
    throw error
  }
  closeOnSignals(end)
  greet(settings)
}

/** What the service says, as sentences: its details matter where something failed. */
function serviceLog() {
  return {
    info() {},
    warn: (_details: object, message: string) => console.warn(`\n  ${message}`),
    error: (details: object, message: string) => console.error(message, details),
  }
}

/** Its names are what people see on their device. */
function openService(data: string) {
  const names = { organization: 'Example Inc.', domain: 'Example' }
  return embedded({ database: join(data, 'mfa.sqlite'), logger: serviceLog(), ...names })
}

async function listen(server: Server, { host, port }: Settings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`
      reject(error.code === 'EADDRINUSE' ? new Error(taken, { cause: error }) : error)
    })
    server.listen(port, host, resolve)
  })
}

/** No new requests; the service ends those that wait; what then still hangs is cut. */
async function closeServer(server: Server, closeService: () => Promise<void> | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  await closeService()
  const cut = setTimeout(() => server.closeAllConnections(), 1000)
  await closed
  clearTimeout(cut)
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

function greet({ publicUrl, data, hosted }: Settings): void {
  console.log(`
  Example app     ${publicUrl}
  Authenticator   ${hosted ? 'where your service has it' : `${publicUrl}/mfa/authenticator/`}
  Data            ${data}

  1. Open the example app, create an account and sign in.
  2. It shows how to set up the authenticator: open that in another window.
  3. Approve the sign-in there. The example app goes on by itself.

  No second window? The terminal approves too: npx second-factor device --help
  Stop with Ctrl+C.
`)
}
