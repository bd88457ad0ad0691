import type { RequestListener } from 'node:http'

import { embedded } from 'second-factor/service'
import { onTestFinished } from 'vitest'

import type { Clock } from '../../src/ground/clock.ts'
import { listen } from './listen.ts'
import { serveConnection } from './serve-connection.ts'

/** A proxy in front of a real service: it forwards calls, or handles them itself. */
export interface Door {
  /** The number of received calls. */
  asked: number
  /** Handles calls instead of the service. */
  instead: RequestListener | undefined
}

/** A real service behind this proxy, for the `service` option of mfa(). */
export async function startServiceWithDoor(clock?: Clock) {
  const service = embedded({ database: ':memory:', ...(clock && { clock }) })
  const connection = await service.connect()
  const door: Door = { asked: 0, instead: undefined }
  const url = await listen((req, res) => {
    door.asked++
    if (door.instead) return door.instead(req, res)
    void serveConnection(connection, { req, res })
  })
  onTestFinished(() => service.close())
  const baseUrl = url + new URL(connection.baseUrl).pathname
  const { fetch: _inProcess, ...remote } = { ...connection, baseUrl }
  const handle = { ...service, connect: () => Promise.resolve(remote) }
  return { door, service: handle }
}
