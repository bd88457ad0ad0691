import express from 'express'
import express4 from 'express4'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import request from 'supertest'
import { expect, it, onTestFinished } from 'vitest'

import { checkExpressVersion } from '../../src/express/setup-checks/require-express.ts'
import { listen } from '../support/listen.ts'

it('mfa() says what to write where a framework calls it without Express', async () => {
  const service = embedded({ database: ':memory:' })
  onTestFinished(() => service.close())
  const second = mfa({ service })
  // As frameworks do that take middleware of this form.
  const url = await listen((req, res) => {
    try {
      second(req as never, res as never, () => res.end('passed'))
    } catch (error) {
      res.end(String(error))
    }
  })

  const text = await (await fetch(url)).text()

  expect(text).toMatch(/^SetupError: mfa\(\) was called without Express\. .*createServer\(app\)/)
})

it.each(['3.21.2', '4.15.5'])('mfa() says at start that Express %s is too old', (version) => {
  expect(() => checkExpressVersion(version)).toThrow(
    `mfa() needs Express 4.16 or later; this is ${version}: npm install`,
  )
})

it.each(['4.16.0', '4.22.3', '5.0.0'])('mfa() starts with Express %s', (version) => {
  expect(() => checkExpressVersion(version)).not.toThrow()
})

it.each<[string, string, typeof express]>([
  ['Express 4', '*', express4],
  ['Express 5', '/{*path}', express],
])('mfa() says what to write where a wildcard takes every address from it, in %s', async (_, path, create) => {
  const service = embedded({ database: ':memory:' })
  onTestFinished(() => service.close())
  const app = create()
  app.use(path, mfa({ service }))
  app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message)
  })

  const answer = await fetch(`${await listen(app)}/account/mfa`)

  expect(answer.status).toBe(500)
  expect(await answer.text()).toContain("write app.use(mfa()) in place of app.use('*', mfa())")
})

it.each([
  ['a list of paths', /^\/(en|de)/, '/en'],
  ['a wildcard before the rest of the path', '/*tenant/app', '/acme/app'],
])('mfa() works at %s, which is no wildcard for the challenge', async (_, path, mount) => {
  const service = embedded({ database: ':memory:' })
  onTestFinished(() => service.close())
  const app = express()
  app.use(session({ secret: 'x'.repeat(32), resave: false, saveUninitialized: false }))
  app.use(path, mfa({ service, user: () => null }))
  app.use((_req, res) => void res.send('passed on'))

  const url = await listen(app)

  expect(await (await fetch(url + mount)).text()).toBe('passed on')
})

it.each([
  ['an app that is mounted there', '/app', '/app', "write publicUrl: 'https://wiki.example'."],
  ['routes that begin with it', '/', '', "write publicUrl: 'https://wiki.example', path: '/app/mfa'."],
])(
  'mfa() says what to write where publicUrl names a path that no proxy removes: %s',
  async (_, mountPath, mount, advice) => {
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    const app = express()
    app.use(session({ secret: 'x'.repeat(32), resave: false, saveUninitialized: false }))
    const logger = { info() {}, warn() {}, error() {} }
    const user = () => ({ username: 'alice' })
    app.use(mountPath, mfa({ service, user, publicUrl: 'https://wiki.example/app', logger }))
    app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message)
    })
    const open = (path: string) => request(app).get(path).set('accept', 'text/html')

    const stopped = await open(`${mount}/page`)
    const answer = await open(stopped.headers['location'] ?? '')

    expect([stopped.status, answer.status]).toEqual([303, 500])
    expect(answer.text).toContain(advice)
  },
)
