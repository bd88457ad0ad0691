import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createExampleApp } from '../../example-app/app.ts'
import type { ExampleAppOptions } from '../../example-app/app.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'
import { embedded } from '../../src/service/embedded.ts'
import { quickHash } from '../service/start-service.ts'

/** Starts the example app, as `npm start` does, on a free port until the test is over. @returns its address. */
export async function startExampleApp(given: Omit<Given, 'publicUrl'> = {}): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Browsers treat `localhost` as secure.
  const publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  serveExampleApp(server, { publicUrl, service: embedded({ database: ':memory:' }), ...given })
  return publicUrl
}

type Given = Pick<ExampleAppOptions, 'publicUrl' | 'clock' | 'recoveryCodes'> & { readonly service?: ServiceHandle }

/** Serves the example app on an existing server. Without a service, it uses the environment variables. */
export function serveExampleApp(server: Server, given: Given): void {
  const example = createExampleApp({
    database: ':memory:',
    sessionSecret: 'for tests',
    recoveryCodes: false,
    passwordCost: quickHash,
    ...given,
  })
  server.on('request', example.app)
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await given.service?.close()
    example.close()
  })
}
