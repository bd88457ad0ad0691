import { afterEach, expect, it, vi } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { passkeyUser } from './passkey-holder.ts'

afterEach(() => {
  vi.doUnmock('@simplewebauthn/server')
  vi.resetModules()
})

/** A service in whose modules the library counts how often it is loaded. */
async function countingService(load: (loaded: number) => Promise<object>) {
  vi.resetModules()
  let loaded = 0
  vi.doMock('@simplewebauthn/server', () => load((loaded += 1)))
  const { startService } = await import('../../start-service.ts')
  return { running: await startService(), loads: () => loaded }
}

inFullRun('the service loads the WebAuthn library at the first ceremony, once for all that come at once', async () => {
  const { running, loads } = await countingService(() => vi.importActual('@simplewebauthn/server'))
  const person = await passkeyUser(running)
  const before = loads()

  const started = await Promise.all(Array.from({ length: 4 }, () => person.startRegistration()))
  await running.close()

  expect([before, loads()]).toEqual([0, 1])
  expect(started.map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

it('a service without the WebAuthn library logs what to install and offers everything else', async () => {
  const { running } = await countingService(() => Promise.reject(new Error('broken')))
  const person = await passkeyUser(running)

  const refused = await person.startRegistration()
  const app = await person.enrollApp()
  await running.close()

  const hints = running.logged.map(({ message }) => message).filter((message) => message.includes('simplewebauthn'))
  expect([refused.status, refused.code, app.answer.status]).toEqual([503, 'api.error.unavailable.passkeys', 200])
  expect(hints).toEqual([expect.stringMatching(/^Using passkeys needs @simplewebauthn\/server/)])
})
