import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'

import { contextOf } from '../../src/express/request/context.ts'
import { startWebApp } from '../support/web-app.ts'

describe('req.mfa', () => {
  it('req.mfa is one object for all handlers of a request', async () => {
    const mfaValues: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      mfaValues.push(req.mfa)
      next()
    }

    await visit(note, note)

    expect(mfaValues[0]).toBeDefined()
    expect(mfaValues[1]).toBe(mfaValues[0])
  })

  it('req.mfa is replaced by what the app assigns to it', async () => {
    const mfaValues: unknown[] = []

    await visit(
      (req, _res, next) => {
        Object.assign(req, { mfa: 'of the app' })
        next()
      },
      (req, _res, next) => {
        mfaValues.push(req.mfa)
        next()
      },
    )

    expect(mfaValues).toEqual(['of the app'])
  })

  it('req.mfa is not created, and nothing of mfa() on the request refers back to it, until a handler reads it', async () => {
    const findings: { mfa?: PropertyDescriptor | undefined; refersBack?: boolean } = {}

    await visit((req, res, next) => {
      findings.mfa = Object.getOwnPropertyDescriptor(req, 'mfa')
      findings.refersBack = reaches(contextOf(req), new Set<unknown>([req, res]))
      next()
    })

    expect(findings.mfa).toBeDefined()
    expect(findings.mfa).not.toHaveProperty('value')
    expect(findings.refersBack).toBe(false)
  })
})

async function visit(...handlers: readonly RequestHandler[]): Promise<void> {
  const app = await startWebApp({ routes: (routes) => handlers.forEach((handler) => routes.use(handler)) })
  await app.browser().open('/anything')
}

/** Whether an object leads to one of these by its members. */
function reaches(from: unknown, targets: ReadonlySet<unknown>, visitedObjects = new Set<unknown>()): boolean {
  if (targets.has(from)) return true
  if (typeof from !== 'object' || from === null || visitedObjects.has(from)) return false
  visitedObjects.add(from)
  return Object.values(from).some((value) => reaches(value, targets, visitedObjects))
}
