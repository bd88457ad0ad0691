import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, it } from 'vitest'

import { systemClock } from '../../../../src/ground/clock.ts'
import { createFailureLog } from '../../../../src/service/engine/monitoring/failure-log.ts'
import { jsonLabel } from '../../../../src/service/engine/http/answer.ts'
import { answerError } from '../../../../src/service/engine/http/errors.ts'
import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import { newUser, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { describeInFullRun } from '../../../support/full-run.ts'

/** The head of the audit trail is also logged when the service closes. */
const failuresOf = ({ logged }: Running) => logged.filter(({ message }) => message === 'request failed')

describe('an unexpected error', () => {
  it('an unexpected error is reported as internal with a fixed text, and logged with its cause', async () => {
    let broken = false
    const running = await startService({
      random(size) {
        if (broken) throw new Error('the detail')
        return systemRandom(size)
      },
    })

    broken = true
    const answer = await running.call('POST', '/users', { body: newUser('x') })
    await running.close()

    expect([answer.status, answer.code]).toEqual([500, 'api.error.internal'])
    expect(answer.text).not.toContain('the detail')
    expect(failuresOf(running)).toMatchObject([{ details: { err: { message: 'the detail' } } }])
  })

  it('an unexpected error never puts a key or a code into a response or the log', async () => {
    let broken = false
    const running = await startService({
      random(size) {
        if (broken) throw new Error('broken')
        return systemRandom(size)
      },
    })
    const { user } = await running.enroll('secretive')

    broken = true
    const answer = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { id: user.id }, otp: '735912' },
    })
    const malformed = await fetch(`${running.origin}/api/domains/${running.domain.id}/sessions`, {
      method: 'POST',
      headers: { authorization: `Service key="${running.apiKey}"`, 'content-type': 'application/json' },
      body: `{"otp":x735912,"key":"${running.apiKey}"}`,
    })
    const refused = await malformed.text()
    await running.close()
    const log = JSON.stringify(running.logged, (_key, value: unknown) => (value instanceof Error ? value.stack : value))

    expect(failuresOf(running)).toHaveLength(1)
    expect(answer.status).toBe(500)
    expect(malformed.status).toBe(400)
    for (const text of [log, refused, JSON.stringify(answer)]) {
      expect(text).not.toContain(running.apiKey)
      expect(text).not.toContain('735912')
    }
  })
})

describeInFullRun('a database that stays locked', () => {
  it('a database that stays locked causes a 503 with Retry-After', async () => {
    const failures = createFailureLog({
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      clock: systemClock,
    })
    const server = createServer((_req, res) =>
      answerError(res, new StoreUnavailableError('locked'), jsonLabel, failures),
    ).listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))

    const answer = await read(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
    server.close()

    expect([answer.status, answer.code]).toEqual([503, 'api.error.unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})
