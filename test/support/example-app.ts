import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createExampleApp } from '../../example-app/app.ts'
import type { ExampleAppOptions } from '../../example-app/app.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'
import { embedded } from '../../src/service/embedded.ts'
import { quickHash } from '../service/start-service.ts'
import { closeForNext, listenAgain } from './listen-again.ts'

/** Starts the example app, as `npm start` does, on a free port until the test is over. @returns its address. */
export async function startExampleApp(options: Omit<Given, 'publicUrl'> = {}): Promise<string> {
  const server = createServer()
  await listenAgain(server)
  // Browsers treat `localhost` as secure.
  const publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  serveExampleApp(server, { publicUrl, service: embedded({ database: ':memory:' }), ...options })
  return publicUrl
}

type Given = Pick<ExampleAppOptions, 'publicUrl' | 'clock' | 'recoveryCodes'> & { readonly service?: ServiceHandle }

/** Serves the example app on an existing server. Without a service, it uses the environment variables. */
export function serveExampleApp(server: Server, options: Given): void {
  const example = createExampleApp({
    database: ':memory:',
    sessionSecret: 'for tests',
    recoveryCodes: false,
    passwordCost: quickHash,
    ...options,
  })
  server.on('request', example.app)
  onTestFinished(async () => {
    await closeForNext(server)
    await options.service?.close()
    example.close()
  })
}
