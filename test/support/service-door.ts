import { request } from 'node:http'
import type { RequestListener } from 'node:http'

import { embedded } from 'second-factor/service'
import { onTestFinished } from 'vitest'

import type { Clock } from '../../src/clock.ts'
import { listen } from './listen.ts'

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
    const { headers, method } = req
    const { host } = new URL(connection.baseUrl)
    const passedOn = request(new URL(req.url ?? '', connection.baseUrl), { method, headers: { ...headers, host } })
    passedOn.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers)))
    passedOn.on('error', () => res.destroy())
    res.on('close', () => passedOn.destroy())
    req.pipe(passedOn)
  })
  onTestFinished(() => service.close())
  const baseUrl = url + new URL(connection.baseUrl).pathname
  const handle = { ...service, connect: () => Promise.resolve({ ...connection, baseUrl }) }
  return { door, service: handle }
}
