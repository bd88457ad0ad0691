import { expectedAdministrator } from '../../admin-contract/expected-administrator.ts'
import { readRetryAfter } from '../../ground/clock.ts'
import { queryString } from '../../contract/query-string.ts'
import type { ErrorBody, ErrorCode } from '../../contract/errors.ts'
import { ApiError, UnreachableError } from './errors.ts'

/** A call as plain data. */
export interface Call {
  /** Method and path, such as `GET /admin/administrators/:administratorId`. */
  readonly route: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Secrets, which no address contains. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The id of the administrator who is meant. */
  readonly administrator?: string | undefined
  /** A body that is a file. The browser sends its type. */
  readonly file?: Blob
  /** The version that a change expects; it fails when another administrator was faster. */
  readonly version?: number | string | undefined
  /** The page asks by itself. The service does not take this for a use of the session, which ends when no one is there. */
  readonly unattended?: boolean | undefined
  /** How long the service may wait for something new, seconds. It does not take this for a use of the session either. */
  readonly wait?: number | undefined
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined
}

/** How long the service has to answer, and to receive and check a file, milliseconds. */
const [timeout, fileTimeout] = [20_000, 180_000]

/** @throws {ApiError} @throws {UnreachableError} */
export async function send(base: string, call: Call): Promise<unknown> {
  const [method = '', path = ''] = call.route.split(' ')
  const response = await fetch(base + fill(path, call.params) + search(call.query), {
    method,
    headers: {
      ...secrets(call.headers),
      ...(call.administrator === undefined ? {} : { [expectedAdministrator]: call.administrator }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.unattended || call.wait !== undefined ? { prefer: `wait=${call.wait ?? 0}` } : {}),
      ...(call.version === undefined ? {} : { 'if-match': `"${call.version}"` }),
    },
    body: call.file ?? (call.body === undefined ? null : JSON.stringify(call.body)),
    credentials: 'same-origin',
    signal: AbortSignal.any([
      AbortSignal.timeout(call.file ? fileTimeout : timeout + (call.wait ?? 0) * 1000),
      ...(call.signal ? [call.signal] : []),
    ]),
  }).catch((error: unknown) => {
    throw new UnreachableError(error)
  })
  const text = await response.text().catch((error: unknown) => {
    throw new UnreachableError(error)
  })
  if (!response.ok) throw refusal(response, text)
  const answer = parse(text)
  // A page of a portal or a proxy, or an answer that was cut off.
  if (answer === undefined && text !== '') throw new UnreachableError(response.status)
  return answer
}

function refusal(response: Response, text: string): Error {
  const body = parse(text) as Partial<ErrorBody> | undefined
  const [error] = body?.errors ?? []
  // A proxy in between, not the service.
  if (error === undefined && response.status >= 500) return new UnreachableError(response.status)
  const now = Math.floor(Date.now() / 1000)
  return new ApiError(
    response.status,
    error as { code: ErrorCode } | undefined,
    readRetryAfter(response.headers.get('retry-after'), now),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fill = (path: string, params: Call['params'] = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

const secrets = (headers: Call['headers'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[`x-${name}`, value]])),
  )

/** Empty and absent members are left out: an address then says only what was chosen. */
export const search = (query: Call['query'] = {}): string =>
  queryString(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')))
