import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { FileMedia } from '../../../contract/endpoint.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../base/problem.ts'
import type { Answer } from './answer.ts'
import { requestIdOf } from './request-id.ts'
import type { FileOutput } from './route.ts'

/** A download, which browsers store and never show as a page. */
export const fileAnswer = (
  media: FileMedia,
  { name, content }: FileOutput,
  headers: Readonly<Record<string, string>>,
): Answer & { readonly file: AsyncIterable<string> } => ({
  status: 200,
  headers: {
    ...headers,
    'Content-Type': `${media}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  },
  body: '',
  file: content,
})

/** Sends a file while it is read. If reading fails, the connection breaks, so that half a file does not look complete. */
export async function sendFile(
  { failures }: Pick<ServiceContext, 'failures'>,
  res: ServerResponse,
  { status, headers }: Answer,
  content: AsyncIterable<string>,
): Promise<void> {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, headers)
  // Node's pipeline adds seven for `close` alone, and would warn of a leak.
  res.setMaxListeners(20)
  try {
    await pipeline(Readable.from(content), res)
  } catch (cause) {
    // The administrator has canceled the download, or has lost the access meanwhile.
    if (isDisconnect(cause) || (cause instanceof ApiProblem && cause.status < 500)) return
    failures.requestFailed(new ApiProblem('api.error.internal', undefined, { cause }), requestIdOf(res))
  }
}

const isDisconnect = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
