import { embedded } from 'second-factor/service'
import type { EmbeddedService } from 'second-factor/service'
import type { MfaOptions } from 'second-factor'
import { expect, it } from 'vitest'

import { createWatchedClock, quickHash } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** A service beside which `@simplewebauthn/server` is not installed: it shows no passkeys of users. */
function withoutPackage(service: EmbeddedService): EmbeddedService {
  async function connect(...facts: Parameters<EmbeddedService['connect']>) {
    const connection = await service.connect(...facts)
    const send: typeof fetch = async (input, init) => {
      const response = await (connection.fetch ?? fetch)(input, init)
      const { passkeys: _, ...body } = (await response.json()) as { passkeys?: unknown }
      return Response.json(body, { status: response.status, headers: response.headers })
    }
    return { ...connection, fetch: send }
  }
  return { ...service, connect }
}

/** What an app logs whose users open the second step twice. */
async function warningsOf(options: Partial<MfaOptions>, remove = withoutPackage) {
  const clock = createWatchedClock()
  const warnings: string[] = []
  const logger = { info() {}, warn: (text: string) => void warnings.push(text), error() {} }
  const service = remove(embedded({ database: ':memory:', clock, pinHashCost: quickHash }))
  const app = await startWebApp({ mfa: { service, clock, logger, ...options } })
  for (const username of ['alice', 'bob']) {
    const person = app.browser()
    await app.signIn(person, username)
    const headers = { host: `localhost:${new URL(app.url).port}` }
    await person.open('/mfa', headers)
    await person.open('/mfa', headers)
  }
  return warnings
}

it('mfa() says once which package passkeys need, where users could have some', async () => {
  expect(await warningsOf({})).toEqual([
    'mfa: no passkeys: npm install @simplewebauthn/server beside the service. passkeys: false leaves out this line.',
  ])
})

inFullRun.each<[string, Partial<MfaOptions>, typeof withoutPackage?]>([
  ['passkeys: false', { passkeys: false }],
  ['factors without passkeys', { factors: ['push', 'otp'] }],
  ['the package', {}, (service) => service],
])('mfa() says nothing about passkeys with %s', async (_, options, remove) => {
  expect(await warningsOf(options, remove)).toEqual([])
})
