import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface RedisStandIn {
  readonly url: string
  /** What it keeps. */
  readonly entries: ReadonlyMap<string, string>
  /** Closes all connections, as a restart does. */
  readonly disconnect: () => void
  readonly close: () => Promise<void>
}

/** As much of Redis as a store of web sessions asks for, in memory. */
export async function listenAsRedis(): Promise<RedisStandIn> {
  const entries = new Map<string, string>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let unread = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      unread = Buffer.concat([unread, data])
      for (let command = readCommand(unread); command; command = readCommand(unread)) {
        unread = unread.subarray(command.length)
        socket.write(answer(command.words, entries))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const disconnect = () => sockets.forEach((socket) => socket.destroy())
  const close = async () => {
    disconnect()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, entries, disconnect, close }
}

/** A command is an array of strings, each with its length (RESP). @returns undefined while it is not all there. */
function readCommand(data: Buffer): { words: string[]; length: number } | undefined {
  const words: string[] = []
  let position = 0
  const readLine = () => {
    const end = data.indexOf('\r\n', position)
    if (end === -1) return undefined
    const line = data.toString('utf8', position, end)
    position = end + 2
    return line
  }
  const count = Number(readLine()?.slice(1))
  while (words.length < count) {
    const size = Number(readLine()?.slice(1))
    // NaN as well: its length is not all there.
    if (!(position + size + 2 <= data.length)) return undefined
    words.push(data.toString('utf8', position, position + size))
    position += size + 2
  }
  return Number.isNaN(count) ? undefined : { words, length: position }
}

function answer([name = '', key = '', value = '']: readonly string[], entries: Map<string, string>): string {
  const entry = entries.get(key)
  switch (name.toUpperCase()) {
    case 'HELLO':
      return '%1\r\n$5\r\nproto\r\n:3\r\n'
    case 'CLIENT':
      return '+OK\r\n'
    case 'GET':
      return entry === undefined ? '_\r\n' : `$${Buffer.byteLength(entry)}\r\n${entry}\r\n`
    case 'SET':
      entries.set(key, value)
      return '+OK\r\n'
    case 'EXPIRE':
      return entry === undefined ? ':0\r\n' : ':1\r\n'
    case 'DEL':
      return entries.delete(key) ? ':1\r\n' : ':0\r\n'
    default:
      return `-ERR unknown command '${name}'\r\n`
  }
}
