import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

import type { FileBody } from '../../../contract/endpoint.ts'
import { ApiProblem } from '../base/problem.ts'
import { parseJson } from './parse-json.ts'
import { parseRows } from './rows.ts'

/** Calls of devices are short, bytes. */
const deviceLimit = 64 * 1024

/** The body of a request, not read yet. */
export interface Body {
  readonly headers: IncomingHttpHeaders
  /**
   * Bytes or text, or the result of an earlier body parser of the app; undefined if there is none.
   * @param limit Bytes.
   */
  readonly read: (limit: number) => Promise<unknown>
  /**
   * The bytes as they arrive, whatever an earlier body parser of the app has done.
   * @param limit Bytes.
   */
  readonly stream: (limit: number) => AsyncIterable<Uint8Array>
}

/** The body of a request over HTTP. */
export function bodyOf(req: IncomingMessage): Body {
  return {
    headers: req.headers,
    async read(limit) {
      if (isPlain(req, limit)) return readPlain(req)
      return isRead(req) || !hasBody(req) ? parsedBody(req) : readCoded(req, limit)
    },
    stream: (limit) => readStream(req, limit),
  }
}

async function* readStream(req: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  const { 'content-length': length = '0' } = req.headers
  if (encodingOf(req.headers) !== 'identity')
    throw new ApiProblem('api.error.unsupportedmediatype', 'Content-Encoding: the file must not be compressed.')
  if (Number(length) > limit) throw new ApiProblem('api.error.toolarge')
  let size = 0
  try {
    // A body parser of the app may have read it. The response is sent even if not all of it is read.
    for await (const chunk of bodyRead(req) ?? req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Uint8Array).length
      if (size > limit) throw new ApiProblem('api.error.toolarge')
      yield chunk as Uint8Array
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') throw aborted()
    throw error
  } finally {
    // Otherwise the connection would stand still with what is left of the body.
    req.resume()
  }
}

/** The body that an earlier body parser of the app has read, as bytes. */
function bodyRead(req: IncomingMessage): readonly Uint8Array[] | undefined {
  const body: unknown = 'body' in req ? req.body : undefined
  if (typeof body === 'string' || Buffer.isBuffer(body)) return [Buffer.from(body)]
  if (req.readableEnded) throw new ApiProblem('api.error.malformed', 'A body parser of the app has read the file.')
  return undefined
}

const aborted = () => new ApiProblem('api.error.malformed', 'The request was aborted.')

/** The result of a body parser of the app. */
const parsedBody = (req: IncomingMessage): unknown => ('body' in req ? req.body : undefined)

/** Parsers of Express set `_body`. They set `body` to an empty object for the types that they leave alone, too. */
const isRead = (req: IncomingMessage): boolean => Reflect.get(req, '_body') === true || req.readableEnded

/** Whether a body follows (RFC 9112 section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** The name of the coding: `x-gzip` is another name of `gzip` (RFC 9110 section 8.4.1.3). */
function encodingOf({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): string {
  const name = encoding.trim().toLowerCase()
  return name === 'x-gzip' ? 'gzip' : name
}

/** Reads a body that is compressed, of unknown length, or too large. */
async function readCoded(req: IncomingMessage, limit: number): Promise<Buffer> {
  const content = decoded(req)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of content.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > limit) throw new ApiProblem('api.error.toolarge')
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    if (error instanceof ApiProblem) throw error
    // A request that has arrived as a whole is destroyed, too.
    if (!req.complete) throw aborted()
    throw new ApiProblem('api.error.malformed', 'The body could not be decompressed.')
  } finally {
    // Otherwise the connection would stand still with what is left of the body.
    req.unpipe().resume()
    // It holds memory, and a later error of it would have no listener.
    if (content !== req) content.destroy()
  }
  return Buffer.concat(chunks)
}

function decoded(req: IncomingMessage): Readable {
  const encoding = encodingOf(req.headers)
  if (encoding === 'identity') return req
  const createDecoder = decoders.get(encoding)
  if (!createDecoder) {
    const known = [...decoders.keys()].join(', ')
    throw new ApiProblem('api.error.unsupportedmediatype', `Content-Encoding: expected ${known} or none.`)
  }
  const decoder = req.pipe(createDecoder())
  // A pipe does not pass on that its source has broken off.
  req.once('close', () => void (req.readableEnded || decoder.destroy(aborted())))
  return decoder
}

/**
 * Whether the body only has to be collected, as almost every body: not one that is compressed, too large or of unknown length, or
 * that a parser of the app has read.
 */
function isPlain(req: IncomingMessage, limit: number): boolean {
  const { 'content-length': length = '0', 'content-encoding': encoding } = req.headers
  const isUnread = !('body' in req) && !req.readableEnded && !req.destroyed
  return isUnread && encoding === undefined && Number(length) > 0 && Number(length) <= limit
}

function readPlain(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    req
      .on('data', (chunk: Buffer) => void chunks.push(chunk))
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', () => {
        if (!req.readableEnded) reject(aborted())
      })
  })
}

/** Types that clearly are not JSON. Everything else is tried, because `curl -d` declares a form. */
const foreignTypes = /^(multipart\/|image\/|audio\/|video\/|text\/xml$|application\/xml$|.*\+xml$)/i

export interface BodyOptions {
  /** The largest body, bytes; 64 KiB if absent. */
  readonly limit?: number | undefined
  /**
   * Called for a body that is not valid UTF-8, which is then read as ISO-8859-1: old clients in Java write it so.
   * If absent, such a body is refused.
   */
  readonly onLatin1?: (() => void) | undefined
}

/** The body as JSON, whatever its declared type. */
export async function readJson(body: Body, options: BodyOptions = {}): Promise<unknown> {
  rejectForeignTypes(body)
  const content = await readBody(body, options)
  return typeof content === 'string' ? parseJson(content) : content
}

/** The elements of a JSON array in batches; see `rows.ts`. */
export async function readRows(body: Body, options: BodyOptions): Promise<Iterable<readonly unknown[]>> {
  rejectForeignTypes(body)
  const content = await readBody(body, options)
  // An earlier body parser of the app has already read it in one piece.
  if (typeof content !== 'string') return Array.isArray(content) ? [content] : parseRows(JSON.stringify(content))
  return parseRows(content)
}

/** The body as text. @param limit Bytes; 64 KiB if absent. */
export async function readText(body: Body, limit?: number): Promise<string> {
  const content = await readBody(body, { limit })
  if (typeof content !== 'string') throw new ApiProblem('api.error.malformed')
  return content
}

/** A file, as it arrives. */
export function readFile(body: Body, { media, limit }: FileBody): AsyncIterable<Uint8Array> {
  if (!media.includes(typeOf(body).toLowerCase()))
    throw new ApiProblem('api.error.unsupportedmediatype', `The body must be a file of the type ${media.join(' or ')}.`)
  return body.stream(limit)
}

function rejectForeignTypes(body: Body): void {
  if (foreignTypes.test(typeOf(body))) throw new ApiProblem('api.error.unsupportedmediatype')
}

const typeOf = ({ headers }: Body): string => (headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? ''

/** The text, or the result of an earlier body parser of the app. */
async function readBody(body: Body, options: BodyOptions): Promise<unknown> {
  const content = await body.read(options.limit ?? deviceLimit)
  if (content === undefined) return ''
  return Buffer.isBuffer(content) ? decodeText(content, options) : content
}

function decodeText(body: Buffer, { onLatin1 }: BodyOptions): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    // JSON allows no other encoding (RFC 8259 section 8.1).
    if (!onLatin1) throw new ApiProblem('api.error.malformed', 'The body must be JSON in UTF-8.')
    onLatin1()
    return body.toString('latin1')
  }
}
