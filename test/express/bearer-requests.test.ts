import { requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import request from 'supertest'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** An app with an API that knows people by their tokens, and what its log says of it. */
async function arrange(options: Partial<MfaOptions> = {}) {
  const warnings: string[] = []
  const app = await startWebApp({
    mfa: { logger: { info() {}, error() {}, warn: (message) => void warnings.push(message) }, ...options },
    routes(routes) {
      routes.use('/api', (req, res, next) => {
        if (req.get('authorization') !== 'Bearer good') return void res.sendStatus(401)
        Object.assign(req, { user: { username: 'alice' } })
        return next()
      })
      routes.get('/api/orders', (_req, res) => res.json([]))
      routes.get('/api/guarded', requireMfa(), (_req, res) => res.json([]))
    },
  })
  const get = (path: string, token = 'good') => request(app.url).get(path).set('authorization', `Bearer ${token}`)
  return { warnings, get }
}

describe('an API with bearer tokens behind mfa()', () => {
  it('an API with bearer tokens behind mfa() logs one warning, with the two lines that gate it', async () => {
    const { warnings, get } = await arrange()

    expect((await get('/api/orders')).status).toBe(200)
    await get('/api/orders')

    expect(warnings).toEqual([expect.stringContaining('GET /api/orders: a request with a bearer token was answered')])
    expect(warnings[0]).toContain("app.post('/token', requireMfa(), ")
    expect(warnings[0]).toContain('req.auth.mfa ? next() : res.sendStatus(403)')
  })

  inFullRun(
    'an API with bearer tokens logs no warning if it refuses, if public lists it, or without the gate',
    async () => {
      const refusing = await arrange()
      const listed = await arrange({ public: ['/api/*'] })
      const open = await arrange({ gate: false })

      expect((await refusing.get('/api/orders', 'bad')).status).toBe(401)
      expect((await refusing.get('/api/guarded')).status).toBe(403)
      expect((await listed.get('/api/orders')).status).toBe(200)
      await open.get('/api/orders')

      expect([...refusing.warnings, ...listed.warnings, ...open.warnings]).toEqual([])
    },
  )
})
