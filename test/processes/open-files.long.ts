import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openRaw } from '../support/raw-http.ts'
import type { RawConnection } from '../support/raw-http.ts'
import { command, serve } from './command.ts'
import type { Served } from './command.ts'

/** What a running service loads for its first request of each. */
const pages = ['/docs', '/api/openapi.json', '/console/', '/console/api/nothing', '/authenticator/']
const consoleHost = 'console.example'

describe('a service whose connections take every file that it may open', () => {
  let folder: string
  let served: Served
  let port: number

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-files-'))
    const database = join(folder, 'mfa.sqlite')
    await command(['init', '--database', database])
    served = await serve(database, {}, ['--console-url', `https://${consoleHost}`], { maxOpenFiles: 128 })
    port = Number(new URL(served.origin).port)
  })
  afterAll(() => {
    served.kill()
    rmSync(folder, { recursive: true })
  })

  async function statusOf(path: string, connection: RawConnection): Promise<number> {
    const host = path.startsWith('/console') ? consoleHost : 'mfa.example'
    connection.send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    return (await connection.answer()).status
  }

  /** Until it cannot accept another one. */
  async function openConnections(): Promise<RawConnection[]> {
    const open: RawConnection[] = []
    for (;;) {
      const connection = await openRaw(port)
      const answered = await statusOf('/healthz', connection).catch(() => undefined)
      if (answered === undefined) return open
      open.push(connection)
    }
  }

  it('a service out of file descriptors answers what it cannot load with an error, and loads it once it can', async () => {
    const connections = await openConnections()
    const pageConnections = connections.slice(0, pages.length)
    const all = () => Promise.all(pages.map((page, index) => statusOf(page, pageConnections[index]!)))
    expect(await all()).toEqual([500, 500, 500, 500, 500])

    for (const connection of connections.slice(pages.length)) connection.end()

    await expect.poll(all).toEqual([200, 200, 200, 404, 200])
  })
})
