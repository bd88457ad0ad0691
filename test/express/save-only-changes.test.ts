import { describe, expect, it, vi } from 'vitest'

import { saveOnlyChanges } from '../../src/express/session/save-only-changes.ts'

type Done = (error?: unknown) => void

function arrange() {
  const write = vi.fn<(data: string, done: Done) => void>((_data, done) => done())
  const webSession = { basket: 'book', save: (done: Done) => write(JSON.stringify(webSession), done) }
  saveOnlyChanges(webSession)
  const save = () => new Promise((resolve) => webSession.save(resolve))
  return { webSession, write, save }
}

describe('a web session that was just stored', () => {
  it('a web session just stored is not saved again without a change, and calls back in the same turn', async () => {
    const { webSession, write, save } = arrange()
    await save()
    const done = vi.fn<() => void>()

    webSession.save(done)

    expect(done).toHaveBeenCalledOnce()
    expect(write).toHaveBeenCalledOnce()
  })

  it('a web session that was just stored saves every change', async () => {
    const { webSession, write, save } = arrange()
    await save()

    webSession.basket = 'two books'
    await save()

    expect(write.mock.calls.map(([data]) => data)).toEqual(['{"basket":"book"}', '{"basket":"two books"}'])
  })

  it('a web session saves again what could not be stored', async () => {
    const { write, save } = arrange()
    write.mockImplementationOnce((_data, done) => done('the store is down'))

    expect(await save()).toBe('the store is down')
    expect(await save()).toBeUndefined()

    expect(write).toHaveBeenCalledTimes(2)
  })
})
