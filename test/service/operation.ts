import { afterAll, beforeAll, describe, expect } from 'vitest'

import { operations, operationTitle } from '../../src/contract/operations.ts'
import { startService } from './start-service.ts'
import type { Running } from './start-service.ts'

/** What a test of an operation has at hand: a service, and calls to it that are remembered. */
export interface Subject extends Running {
  /** As `call`, in version 1.3. */
  readonly call13: Running['call']
}

/**
 * The tests of one operation of the REST interface, under its method and path as the documents write them:
 * `docs/rest-interface.md` is made from these titles. Fails where the tests never called it.
 */
export function operation(title: string, tests: (subject: () => Subject) => void): void {
  // oxlint-disable-next-line vitest/valid-title -- titles are given here
  describe(title, () => {
    const askedNames = new Set<string | undefined>()
    let running: Running
    let subject: Subject

    beforeAll(async () => {
      running = await startService({}, { bypassEnabled: true })
      const call: Running['call'] = (method, path, options) => {
        askedNames.add(titleFor(method, path))
        return running.call(method, path, options)
      }
      const call13: Running['call'] = (method, path, options) =>
        call(method, path, { ...options, headers: { accept: 'application/vnd.service.v1+json', ...options?.headers } })
      subject = { ...running, call, call13 }
    })
    afterAll(async () => {
      await running.close()
      expect([...askedNames]).toContain(title)
    })

    tests(() => subject)
  })
}

/** Which operation a call is. */
function titleFor(method: string, path: string): string | undefined {
  const [plain = ''] = path.split('?')
  const match = operations
    .filter(({ endpoint }) => endpoint.method === method)
    // Those without parameters first: "events" is no id.
    .sort((a, b) => a.endpoint.path.split(':').length - b.endpoint.path.split(':').length)
    .find(({ endpoint }) => new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`).test(plain))
  return match && operationTitle(match.endpoint)
}
