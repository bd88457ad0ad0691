import type { ServerResponse } from 'node:http'

import type { Observer } from '../monitoring/observer.ts'
import { requestIdOf } from './request-id.ts'

/** Reports the response to the observer once it has been sent, or its connection has closed. */
export function observe({ observer }: { observer: Observer }, res: ServerResponse, operation: string): void {
  const startedAt = performance.now()
  res.once('close', () => {
    const status = res.writableFinished ? res.statusCode : 'aborted'
    observer.answered({
      requestId: requestIdOf(res),
      operation,
      status,
      seconds: (performance.now() - startedAt) / 1000,
    })
  })
}
