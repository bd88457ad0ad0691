import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Attributes by their type (RFC 2865 section 5). */
const types = {
  'User-Name': 1,
  'CHAP-Password': 3,
  'NAS-Port': 5,
  'Reply-Message': 18,
  State: 24,
  'Calling-Station-Id': 31,
  'NAS-Identifier': 32,
  'Filter-Id': 11,
  'Acct-Session-Id': 44,
  'EAP-Message': 79,
} as const
type AttributeName = keyof typeof types
export type Attributes = Partial<Record<AttributeName, string | number | Buffer>>

export interface RadiusReply {
  readonly code: 'accept' | 'reject' | 'challenge'
  readonly message: string | undefined
  readonly state: Buffer | undefined
  readonly filterId: string | undefined
  /** Whether it carries a Message-Authenticator, which was correct. */
  readonly authenticated: boolean
}

interface Packet {
  readonly port: number
  readonly password?: string | undefined
  readonly attributes: Attributes
  readonly secret?: string
  /** Milliseconds until it counts as lost. */
  readonly timeout?: number
  readonly messageAuthenticator?: boolean
}

/** Sends one Access-Request, with an id and an authenticator of its own. @returns undefined if no answer comes. */
export async function askRadius(packet: Packet): Promise<RadiusReply | undefined> {
  const { port, password, attributes, secret = 'testing123', timeout = 28_000, messageAuthenticator = true } = packet
  const socket = createSocket('udp4')
  const authenticator = randomBytes(16)
  const id = randomBytes(1)[0] ?? 0
  const parts = Object.entries(attributes).map(([name, value]) => attribute(types[name as AttributeName], bytes(value)))
  if (password !== undefined) parts.push(attribute(2, hidePassword(password, { secret, authenticator })))
  if (messageAuthenticator) parts.push(attribute(80, Buffer.alloc(16)))
  const body = Buffer.concat(parts)
  const request = Buffer.concat([Buffer.from([1, id, 0, 0]), authenticator, body])
  request.writeUInt16BE(request.length, 2)
  if (messageAuthenticator)
    createHmac('md5', secret)
      .update(request)
      .digest()
      .copy(request, request.length - 16)
  socket.send(request, port, '127.0.0.1')
  try {
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(timeout) })) as [Buffer]
    return read(answer, { secret, authenticator })
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  } finally {
    socket.close()
  }
}

interface Keyed {
  readonly secret: string
  readonly authenticator: Buffer
}

function read(answer: Buffer, { secret, authenticator }: Keyed): RadiusReply {
  const own = Buffer.concat([answer.subarray(0, 4), authenticator, answer.subarray(20)])
  const expected = createHash('md5').update(own).update(secret).digest()
  if (!expected.equals(answer.subarray(4, 20))) throw new Error('a reply with a wrong authenticator')
  const values = new Map<number, Buffer>()
  let authenticated = false
  for (let at = 20; at < answer.length; at += answer[at + 1] ?? answer.length) {
    const type = answer[at] ?? 0
    values.set(type, answer.subarray(at + 2, at + (answer[at + 1] ?? 2)))
    if (type !== 80) continue
    const blank = Buffer.from(own)
    blank.fill(0, at + 2, at + 18)
    authenticated = createHmac('md5', secret)
      .update(blank)
      .digest()
      .equals(answer.subarray(at + 2, at + 18))
  }
  const code = ({ 2: 'accept', 3: 'reject', 11: 'challenge' } as const)[answer[0] as 2 | 3 | 11]
  const text = (name: AttributeName) => values.get(types[name])?.toString()
  const [message, filterId] = [text('Reply-Message'), text('Filter-Id')]
  return { code, message, state: values.get(types.State), filterId, authenticated }
}

const attribute = (type: number, value: Buffer) => Buffer.concat([Buffer.from([type, value.length + 2]), value])

function bytes(value: string | number | Buffer): Buffer {
  if (typeof value === 'string') return Buffer.from(value)
  if (typeof value !== 'number') return value
  const number = Buffer.alloc(4)
  number.writeUInt32BE(value)
  return number
}

/** RFC 2865 section 5.2. */
function hidePassword(password: string, { secret, authenticator }: Keyed): Buffer {
  const plain = Buffer.from(password)
  const padded = Buffer.alloc(Math.max(16, Math.ceil(plain.length / 16) * 16))
  plain.copy(padded)
  let previous: Buffer = authenticator
  for (let at = 0; at < padded.length; at += 16) {
    const mask = createHash('md5').update(secret).update(previous).digest()
    for (let index = 0; index < 16; index += 1) padded[at + index] = (padded[at + index] ?? 0) ^ (mask[index] ?? 0)
    previous = padded.subarray(at, at + 16)
  }
  return padded
}
