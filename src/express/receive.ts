import { asRequest } from '../challenge/service-calls.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { handle } from './handle.ts'
import type { Handling } from './handle-session.ts'
import type { Instance } from './instance.ts'
import { createRequestId } from './request/request-id.ts'

/** Takes a request of the app: serves the pages below the challenge path, and passes on what the gate lets through, or an error. */
export function receive(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  next: (error?: unknown) => void,
  when: Pick<Handling, 'moment'> = {},
): void {
  const requestId = createRequestId(req)
  asRequest(requestId, handle, instance, req, res, { next, requestId, ...when })
}
