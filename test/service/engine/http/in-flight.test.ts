import { describe, expect, it } from 'vitest'

import { createInFlight } from '../../../../src/service/engine/http/in-flight.ts'
import { listen } from '../../../support/listen.ts'

describe('a request whose client is gone before the service receives it from the app', () => {
  it('a request whose client disconnects before the service receives it does not count as in progress, so closing does not wait', async () => {
    const inFlight = createInFlight()
    const handle = inFlight.track(
      () => {},
      () => {},
    )
    const received = Promise.withResolvers<void>()
    const url = await listen((req, res) => {
      // As an app does whose own middleware takes longer than the client waits.
      res.once('close', () => {
        handle(req, res, () => {})
        received.resolve()
      })
      req.socket.destroy()
    })

    await expect(fetch(url)).rejects.toThrow('fetch failed')
    await received.promise

    await expect(inFlight.drain()).resolves.toBeUndefined()
  })
})
