import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createExampleApp } from '../../example-app/app.ts'
import { embedded } from '../../src/service/embedded.ts'

/** The example app with its service, as `npm start` has it, on a free port. Answers its address. */
export async function startExampleApp(service = embedded({ database: ':memory:' })): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Browsers give keys to `localhost` as if it were https.
  const publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const example = createExampleApp({
    database: ':memory:',
    service,
    sessionSecret: 'for tests',
    publicUrl,
    recoveryCodes: false,
  })
  server.on('request', example.app)
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await service.close()
    example.close()
  })
  return publicUrl
}
