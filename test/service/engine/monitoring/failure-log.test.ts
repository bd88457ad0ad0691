import { describe, expect, it } from 'vitest'

import { createFailureLog } from '../../../../src/service/engine/monitoring/failure-log.ts'
import { ApiProblem } from '../../../../src/service/engine/base/problem.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'

const gone = new StoreUnavailableError('The database cannot be reached.', {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
})

function start() {
  const clock = createTestClock()
  const lines: [message: string, details: object][] = []
  const log = (details: object, message: string) => void lines.push([message, details])
  const failures = createFailureLog({ clock, logger: { info: log, warn: log, error: log } })
  const refuse = (cause: unknown) =>
    failures.requestFailed(new ApiProblem('api.error.unavailable', undefined, { cause }), 'request-1')
  return { clock, lines, failures, refuse }
}

describe('the log of failures', () => {
  it('the failure log reports the start of an outage once, with its reason, and its end, with what was refused', async () => {
    const { clock, lines, failures, refuse } = start()

    for (let request = 0; request < 3; request += 1) {
      failures.database.failed('read', gone)
      refuse(gone)
    }
    await clock.advance(7)
    failures.database.succeeded('read')
    await clock.advance(5)

    expect(lines).toEqual([
      ['database unavailable', { reason: 'The database cannot be reached. (ECONNREFUSED: connect ECONNREFUSED)' }],
      ['database available again', { seconds: 7, refused: 3 }],
    ])
  })

  it('the failure log treats calls that fail within 5 seconds of each other as one outage', async () => {
    const { clock, lines, failures } = start()

    for (let round = 0; round < 4; round += 1) {
      failures.database.failed('read', gone)
      failures.database.succeeded('read')
      await clock.advance(3)
    }

    expect(lines.map(([message]) => message)).toEqual(['database unavailable'])
  })

  it('the failure log does not treat successful reads as the end of an outage in which changes failed', async () => {
    const { clock, lines, failures } = start()

    failures.database.failed('write', gone)
    failures.database.succeeded('read')
    await clock.advance(60)
    const before = lines.length
    failures.database.succeeded('write')
    await clock.advance(5)

    expect([before, lines.length]).toEqual([1, 2])
  })

  it('the failure log reports other refusals once a minute, without a stack', async () => {
    const { clock, lines, refuse } = start()
    const busy = new StoreUnavailableError('Another synchronization is in progress.')

    refuse(busy)
    refuse(busy)
    await clock.advance(60)
    refuse(busy)

    const details = { reason: busy.message, code: 'api.error.unavailable', requestId: 'request-1' }
    expect(lines).toEqual([
      ['requests are rejected', details],
      ['requests are rejected', details],
    ])
  })

  it('the failure log has a line with its cause for each other failure', () => {
    const { lines, failures } = start()
    const cause = new Error('broken')

    failures.requestFailed(new ApiProblem('api.error.internal', undefined, { cause }), 'request-2')

    expect(lines).toEqual([['request failed', { err: cause, code: 'api.error.internal', requestId: 'request-2' }]])
  })
})
