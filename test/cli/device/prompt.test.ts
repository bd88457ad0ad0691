import { PassThrough } from 'node:stream'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { promptForAnswer } from '../../../src/cli/device/answer.ts'
import type { Pending } from '../../../src/cli/device/pending.ts'
import { ask } from '../../../src/cli/terminal/prompt.ts'
import { createDevice } from '../../../src/device/device.ts'
import { inFullRun } from '../../support/full-run.ts'
import { startService } from '../../support/running-service.ts'

beforeEach(() => vi.spyOn(console, 'log').mockImplementation(() => {}))
afterEach(() => vi.restoreAllMocks())

/** A pending request of alice, and a person who types these lines. */
async function startPrompt(options: { readonly numberMatching?: boolean } = {}) {
  const service = await startService()
  const device = createDevice({ extractableKeys: true })
  const account = await device.activate(service.url, (await service.enroll('alice')).code, { name: 'Test' })
  const session = await service.ask('alice', options)
  const [request] = (await device.requests(account)).requests ?? []
  const pending: Pending = { account, request: request! }
  const gone = new AbortController()
  const answer = async (...lines: readonly (string | undefined)[]) => {
    const linesLeft = [...lines]
    const askPerson = async () => {
      if (linesLeft.length === 0) gone.abort()
      return linesLeft.shift()
    }
    await promptForAnswer(device, pending, { state: 'device.json', end: gone.signal, askPerson })
  }
  const cancel = () => service.client.sessions.cancel(service.domainId, session.id)
  return { answer, session, cancel, state: () => service.state(session.id) }
}

describe('the prompt of device watch', () => {
  inFullRun('the prompt of device watch approves a request with the number that is typed', async () => {
    const { answer, session, state } = await startPrompt({ numberMatching: true })

    await answer('approve', session.number)

    expect(await state()).toMatchObject({ state: 'approved' })
  })

  inFullRun.each([
    ['deny', 'user_denied'],
    ['report', 'reported'],
  ])('typing %s at the prompt of device watch settles a request', async (word, reason) => {
    const { answer, state } = await startPrompt({ numberMatching: true })

    await answer(word)

    expect(await state()).toMatchObject({ state: 'denied', reason })
  })

  inFullRun(
    'the prompt of device watch reports a request that was canceled meanwhile, and prints that none was open',
    async () => {
      const print = vi.spyOn(console, 'log')
      const { answer, cancel } = await startPrompt()
      await cancel()

      await answer('report')

      expect(print).toHaveBeenCalledWith('No request was open anymore.')
      expect(print).toHaveBeenLastCalledWith('New requests are paused for 15 minutes.')
    },
  )

  inFullRun('the prompt of device watch leaves a request pending after Enter', async () => {
    const { answer, state } = await startPrompt()

    await answer('')

    expect(await state()).toMatchObject({ state: 'pending' })
  })

  it('the prompt of device watch sends nothing for the rest of a word that was typed for another request', async () => {
    const { answer, state } = await startPrompt()

    await expect(answer('prove', 'e', 'y', 'eny', 'port')).rejects.toThrow('The request is gone.')

    expect(await state()).toMatchObject({ state: 'pending' })
  })

  inFullRun(
    'the prompt of device watch sends nothing when the request is gone before its number was typed',
    async () => {
      const { answer, state } = await startPrompt({ numberMatching: true })

      await expect(answer('approve')).rejects.toThrow('The request is gone.')

      expect(await state()).toMatchObject({ state: 'pending' })
    },
  )
})

describe('a question', () => {
  it('a question in the terminal ends when its request is gone, and drops what was typed', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const gone = new AbortController()

    const firstAnswer = ask('1? ', gone.signal, { input, output })
    input.write('app')
    setImmediate(() => gone.abort())
    const typedForFirst = await firstAnswer
    const secondAnswer = ask('2? ', undefined, { input, output })
    input.write('rove\n')

    expect([typedForFirst, await secondAnswer]).toEqual([undefined, 'rove'])
  })
})
