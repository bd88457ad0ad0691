import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { Handle } from '../../../../src/service/engine/http/handle.ts'
import { mount } from '../../../../src/service/engine/http/mount.ts'
import { inFullRun } from '../../../support/full-run.ts'

const paths = ['/api', '/api/', '/api/x', '/API/x?a=1', '/api?a=1', '/api//x', '/apis', '/x', '/', '/x/api', '/%61pi/x']

/** Answers with what the mounted handler and the handler after it see. */
async function answersOf(mounted: Handle): Promise<string[]> {
  const server = createServer((req, res) => mounted(req, res, () => void res.end(`passed on ${req.url}`)))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()))
}

const echoUrl: Handle = (req, res, next) => {
  const { url, originalUrl } = req as typeof req & { originalUrl?: string }
  if (url?.includes('a=1')) next()
  else res.end(`${url} of ${originalUrl}`)
}

describe('a mounted handler', () => {
  inFullRun('a mounted handler sees the same requests and addresses as one that Express mounts', async () => {
    const byExpress = express.Router().use('/api', (req, res, next) => echoUrl(req, res, next))

    const own = await answersOf(mount('/api', echoUrl))

    expect(own).toEqual(
      await answersOf((req, res, next) => byExpress(req as express.Request, res as express.Response, next)),
    )
  })

  it('a handler that is mounted without a path sees every request', () => {
    expect(mount('', echoUrl)).toBe(echoUrl)
  })
})
