import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

import { startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { newUser } from '../service/start-service.ts'
import { random128 } from '../support/device-signer.ts'
import { type Phones, small } from './phone.ts'

/** The PIN of people in the domain that asks for one. */
export const pinOfPerson = '4071'

interface Person {
  readonly id: string
  readonly domainId: string
  /** The open authenticator, with the person's account. */
  readonly page: Page
}

/** A service with a console for the tests of a file, and one domain more, which asks for a PIN. */
export function useConsole(phone: Phones) {
  let folder: string
  let running: Console
  let pinDomain: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-authenticator-'))
    running = await startConsole(join(folder, 'mfa.sqlite'))
    const pin = { name: 'Vault', keyType: 'PIN' } as const
    pinDomain = (await running.service.administration.createDomain(running.organization.id, pin)).id
  })
  afterAll(async () => {
    await running.close()
    rmSync(folder, { recursive: true })
  })

  return {
    running: () => running,
    /** A new person with an account. @param withPin in the domain that asks for a PIN. */
    person: async ({ withPin = false } = {}): Promise<Person> => {
      const domainId = withPin ? pinDomain : running.domain.id
      const { json: user } = await running.call('POST', '/users', { body: newUser(`alice ${random128()}`) })
      const membership = `/domains/${domainId}/users/${user.id}`
      await running.call('PUT', membership)
      const { json: token } = await running.call('PUT', `${membership}/token`)
      // Browsers give keys to `localhost` as if it were https.
      const url = running.origin.replace('127.0.0.1', 'localhost')
      const pin = withPin ? pinOfPerson : undefined
      const page = await phone.openWith({ url }, token.code as string, { context: small, pin })
      return { id: user.id, domainId, page }
    },
  }
}
