import { hostOf } from '../framework/host.ts'
import { createPageToken, isOfOtherUser } from '../../challenge/page-token.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { HttpRequest, PostedRequest } from '../framework/http-request.ts'
import { parseJson } from '../../contract/validate.ts'
import { isSameText } from '../../ground/same-text.ts'
import type { MfaState } from '../session/mfa-state.ts'
import type { WebRequest } from './web-request.ts'

/** Our forms have a few short fields; the longest is a new passkey with an RSA key. Bytes. */
const maxFormLength = 16_384

/** The fields of a posted form. */
export type Form = Readonly<Record<string, unknown>>

/**
 * Returns the fields of a posted form, also if the app's own parser has read it already, as fields, text or bytes.
 *
 * @returns undefined if the connection ended before the body did, so that nobody waits for an answer.
 */
export async function readForm(
  req: PostedRequest,
  { aborted, unreadable }: FormNotices = noNotices,
): Promise<Form | undefined> {
  const { body } = req
  if (typeof body === 'string' || body instanceof Uint8Array)
    return parseRead(req, Buffer.from(body)) ?? none(unreadable)
  // A parser of Express 4 sets an empty object also where it reads nothing, because the type is not its own.
  if (typeof body === 'object' && body !== null && (req.readableEnded || Object.keys(body).length > 0))
    return body as Form
  if (req.readableEnded) return hasBody(req) ? none(unreadable) : {}
  if (!isForm(req)) return {}
  const bytes = await readBytes(req)
  if (bytes === undefined) aborted()
  return bytes && fieldsOf(bytes)
}

/** Called where a form has no fields, and the reason is none of its own. */
export interface FormNotices {
  /** The connection ended before the body did. */
  readonly aborted: () => void
  /** Something has read the body, and left nothing of it that is a form. */
  readonly unreadable: () => void
}

const noNotices: FormNotices = { aborted() {}, unreadable() {} }

function none(notice: () => void): Form {
  notice()
  return {}
}

const isForm = ({ headers }: HttpRequest) =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')

const isJson = ({ headers }: HttpRequest) => /^application\/json\b/i.test(headers['content-type'] ?? '')

/**
 * What is too long to be one of our forms is read to its end as well, or the connection would stand still: Node reads no more of a request
 * whose reader has left.
 * @returns undefined if the connection ended before the body did; nothing for what is too long.
 */
async function readBytes(req: PostedRequest): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of req) {
      const bytes = Buffer.from(chunk as Buffer | string)
      length += bytes.length
      if (length <= maxFormLength) chunks.push(bytes)
    }
  } catch (error) {
    if (req.complete) throw error
    return undefined
  }
  return length > maxFormLength ? Buffer.alloc(0) : Buffer.concat(chunks)
}

/**
 * The fields of a body that a parser of the app has read as text or bytes, such as `express.text()` or `express.raw()`.
 * @returns undefined if they cannot be read.
 */
function parseRead(req: PostedRequest, body: Buffer): Form | undefined {
  if (body.length === 0 && hasBody(req)) return undefined
  if (body.length === 0 || body.length > maxFormLength) return {}
  if (isForm(req)) return fieldsOf(body)
  const parsed = isJson(req) ? parseJson(body.toString()) : undefined
  return typeof parsed === 'object' && parsed !== null ? (parsed as Form) : undefined
}

const fieldsOf = (body: Buffer): Form => Object.fromEntries(new URLSearchParams(body.toString()))

const hasBody = ({ headers }: HttpRequest) =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** The token that proves, where a browser sends no `Sec-Fetch-Site`, that a form came from a page of this web session. */
export function withFormToken(request: WebRequest): { readonly token: string; readonly state: MfaState } {
  const { state, context, user } = request
  const userKey = userKeyOf(user)
  // Apps without Passport can keep the web session when another user signs in.
  if (state.page !== undefined && !isOfOtherUser(state.page, userKey)) return { token: state.page, state }
  const token = createPageToken(userKey, context.mfa.options.random)
  return { token, state: { ...state, page: token } }
}

/**
 * Whether a POST comes from a page of this origin. If present, `Sec-Fetch-Site` alone decides; older browsers send `Origin`;
 * a request with neither must carry the token of the page.
 */
export function isTrustedPost(
  req: HttpRequest,
  { token, expected, publicUrl }: { token: unknown; expected: string | undefined; publicUrl: string | undefined },
): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = req.headers
  if (origin !== undefined) return isOwnOrigin(req, origin, publicUrl)
  return typeof token === 'string' && expected !== undefined && isSameText(expected, token)
}

/** A page of another origin cannot set Host: if no address is configured, Host is the app's address in this browser. */
function isOwnOrigin(req: HttpRequest, originHeader: string, publicUrl: string | undefined): boolean {
  const origin = URL.parse(originHeader)
  if (!origin) return false
  return publicUrl === undefined ? origin.host === hostOf(req) : origin.origin === new URL(publicUrl).origin
}
