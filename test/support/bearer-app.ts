import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import express4 from 'express4'
import createFastify from 'fastify'
import * as onExpress from 'second-factor'
import type { BearerToken, RequireMfaOptions } from 'second-factor'
import * as onFastify from 'second-factor/fastify'
import { onTestFinished } from 'vitest'

import { exchange } from './raw-http.ts'
import type { RawAnswer } from './raw-http.ts'

export const bearerFrameworks = ['Express 5', 'Express 4', 'Fastify'] as const

export type BearerFramework = (typeof bearerFrameworks)[number]

/** Runs in the handler, with the request of the framework; what it throws is left to the framework. */
type InHandler = (verifiedBearer: (need?: onExpress.AuthenticationNeed) => BearerToken) => unknown

/** An API without `mfa()`. `/` is guarded, and answers what it knows of the token; `/in-handler` decides in its handler. */
export async function startBearerApp(framework: BearerFramework, options: RequireMfaOptions, inHandler?: InHandler) {
  const passed: (BearerToken | undefined)[] = []
  const port = await (framework === 'Fastify' ? serveFastify : serveExpress)(framework, options, passed, inHandler)
  /** @param headers As lines on the wire. */
  const get = (headers: readonly string[] = [], path = '/'): Promise<RawAnswer> =>
    exchange(port, [`GET ${path} HTTP/1.1`, 'Host: api', 'Connection: close', ...headers, '', ''].join('\r\n'))
  return { port, passed, get, call: (token: string, path?: string) => get([`Authorization: Bearer ${token}`], path) }
}

async function serveExpress(
  framework: BearerFramework,
  options: RequireMfaOptions,
  passed: (BearerToken | undefined)[],
  inHandler: InHandler | undefined,
): Promise<number> {
  const app = (framework === 'Express 4' ? express4 : express)()
  // Express 4 logs what handlers throw, unless it runs in tests.
  app.set('env', 'test')
  app.get('/', onExpress.requireMfa(options), (req, res) => {
    passed.push(req.mfa?.bearer)
    res.json(req.mfa)
  })
  app.get('/in-handler', onExpress.requireMfa(options), (req, res) => {
    res.json(inHandler?.((need) => onExpress.verifiedBearer(req, need)))
  })
  const server = createServer({ maxHeaderSize: 65_536 }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function serveFastify(
  _framework: BearerFramework,
  options: RequireMfaOptions,
  passed: (BearerToken | undefined)[],
  inHandler: InHandler | undefined,
): Promise<number> {
  const app = createFastify({ http: { maxHeaderSize: 65_536 } })
  app.get('/', { onRequest: onFastify.requireMfa(options) }, (request) => {
    passed.push(request.mfa?.bearer)
    return request.mfa
  })
  app.get('/in-handler', { onRequest: onFastify.requireMfa(options) }, (request) =>
    inHandler?.((need) => onFastify.verifiedBearer(request, need)),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return (app.server.address() as AddressInfo).port
}
