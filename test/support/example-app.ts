import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createExampleApp } from '../../example-app/app.ts'
import type { ExampleAppOptions } from '../../example-app/app.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'
import { embedded } from '../../src/service/embedded.ts'

/** The example app, as `npm start` has it, on a free port until the test is over. Answers its address. */
export async function startExampleApp(given: Omit<Given, 'publicUrl'> = {}): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Browsers give keys to `localhost` as if it were https.
  const publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  serveExampleApp(server, { publicUrl, service: embedded({ database: ':memory:' }), ...given })
  return publicUrl
}

type Given = Pick<ExampleAppOptions, 'publicUrl' | 'clock'> & { readonly service?: ServiceHandle }

/** The same on a server that is there. Without a service, the environment names one. */
export function serveExampleApp(server: Server, given: Given): void {
  const example = createExampleApp({
    database: ':memory:',
    sessionSecret: 'for tests',
    recoveryCodes: false,
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
