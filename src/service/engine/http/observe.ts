import type { Observer } from '../monitoring/observer.ts'
import type { Reader } from '../base/reader.ts'

/** Reports the response to the observer once it has been sent, or its connection has closed. */
export function observe(
  { observer }: { observer: Observer },
  { reader, requestId }: { readonly reader: Reader; readonly requestId: string | undefined },
  operation: string,
): void {
  const startedAt = performance.now()
  reader.once('close', () => {
    const status = reader.writableFinished ? reader.statusCode : 'aborted'
    observer.answered({
      requestId,
      operation,
      status,
      seconds: (performance.now() - startedAt) / 1000,
    })
  })
}
