import { SetupError } from '../../service-handle.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import { canonical } from './canonical.ts'

/** How long a body may be that an approval is bound to; characters of its text. */
const maxBodyLength = 65_536

/**
 * The body of a request as one text, which an approval is bound to; empty without a body. It is never stored.
 *
 * @throws {SetupError} for a body that was not parsed before, or cannot be compared.
 */
export function boundBody(req: FrameworkRequest): string {
  const type = req.headers['content-type'] ?? ''
  if (/^multipart\//i.test(type)) throw problem('the body is multipart, and its files cannot be compared')
  const body = parsedBody(req)
  // Over HTTP/2, or through an adapter, a body can come without a header that says so: what was parsed counts.
  if (!hasBody(req) && (body === undefined || body === null)) return ''
  if (hasBody(req) && isUnread(req, body)) {
    throw problem('the body is not parsed yet; put a parser such as express.urlencoded({ extended: false }) before it')
  }
  const text = canonical(body)
  if (text === undefined) throw problem('the body is not plain data, such as the fields of a form')
  if (text.length > maxBodyLength) throw problem(`the body is longer than ${maxBodyLength / 1024} kB`)
  return text
}

const problem = (reason: string) =>
  new SetupError(`requireApproval(): ${reason}. For such a route, call req.mfa.approve() in the handler instead.`)

const hasBody = ({ headers }: FrameworkRequest): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** The body as a parser of the app has read it. Fastify keeps it at its own request. */
export const parsedBody = (req: FrameworkRequest): unknown =>
  req.original === undefined ? req.body : (req.original as { readonly body?: unknown }).body

/** A parser of Express 4 sets an empty object also where it reads nothing, because the type is not its own. */
function isUnread(req: FrameworkRequest, body: unknown): boolean {
  if (body === undefined) return true
  const type = req.headers['content-type'] ?? ''
  // A parser of the app that leaves the body to the handler ends with null.
  if (req.original !== undefined) return isStream(body) || (body === null && !/\bjson\b/i.test(type))
  if (!req.readableEnded) return true
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  return isEmpty && !/^application\/(json|x-www-form-urlencoded)\b/i.test(type)
}

const isStream = (body: unknown): boolean => typeof (body as { readonly pipe?: unknown } | null)?.pipe === 'function'
