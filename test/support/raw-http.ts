import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** One answer, as it came over the wire. */
export interface RawAnswer {
  /** Everything before the empty line, as it stands. */
  readonly head: string
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** HTTP written by hand, without a library: bytes out, bytes in. */
export interface RawConnection {
  send(bytes: string | Buffer): void
  /** @param method What was asked: the answer to HEAD has no content. */
  answer(method?: string): Promise<RawAnswer>
  /** Resolves when the other side has hung up. */
  readonly closed: Promise<void>
  end(): void
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const reader = createReader(socket)
  return {
    send: (bytes) => void socket.write(bytes),
    answer: (method) => reader.answer(method),
    closed: reader.closed,
    end: () => socket.destroy(),
  }
}

/** One request on a connection of its own. */
export async function exchange(port: number, bytes: string | Buffer, method?: string): Promise<RawAnswer> {
  const connection = await openRaw(port)
  connection.send(bytes)
  try {
    return await connection.answer(method)
  } finally {
    connection.end()
  }
}

function createReader(socket: Socket) {
  let received = Buffer.alloc(0)
  let ended = false
  let onData = () => {}
  const more = () => new Promise<void>((resolve) => (onData = resolve))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  // The other side may close abruptly; what it sent before counts.
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes])
    onData()
  })
  socket.once('close', () => {
    ended = true
    onData()
  })

  async function until(isReady: () => boolean): Promise<void> {
    while (!isReady()) {
      if (ended) throw new Error(`The connection ended after ${JSON.stringify(received.toString('latin1'))}`)
      await more()
    }
  }

  function take(length: number): Buffer {
    const chunk = received.subarray(0, length)
    received = received.subarray(length)
    return chunk
  }

  return {
    closed,
    async answer(method = 'GET'): Promise<RawAnswer> {
      await until(() => received.includes('\r\n\r\n'))
      const head = take(received.indexOf('\r\n\r\n') + 4)
        .toString('latin1')
        .slice(0, -4)
      const headers = new Map(head.split('\r\n').slice(1).map(parseHeader))
      const status = Number(head.split(' ', 2)[1])
      const length = method === 'HEAD' || status < 200 || status === 304 ? 0 : Number(headers.get('content-length'))
      await until(() => received.length >= length)
      return { head, status, headers, body: take(length).toString() }
    },
  }
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
