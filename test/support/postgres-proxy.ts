import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A way to PostgreSQL on which everything can go wrong that does go wrong on networks and in poolers. */
export interface PostgresProxy {
  /** The address of the database through it. */
  readonly url: string
  /** How many connections there are at the moment. */
  readonly connections: () => number
  /** Ends all connections and refuses new ones. */
  readonly cut: () => Promise<void>
  readonly mend: () => Promise<void>
  /** New connections lead to another server; those that are open stay. */
  readonly leadTo: (database: string) => void
  /** Nothing passes in either direction until `resume`, and neither side is notified. */
  readonly stall: () => void
  /** The same, from the next COMMIT on, which does not reach the database. Resolves when it was sent. */
  readonly stallAtCommit: () => Promise<void>
  readonly resume: () => void
  /** Each piece of data arrives so much later, milliseconds. */
  readonly delay: (milliseconds: number) => void
  /** Notifications get lost, as they do in a pooler that lends connections by transaction. */
  readonly dropNotifications: (drop: boolean) => void
  /** Refuses connections that set a parameter, as PgBouncer does. */
  readonly refuseParameter: (name: string) => void
  /** The next COMMIT reaches the database, and its answer is lost with the connection. */
  readonly loseCommit: () => void
  readonly close: () => Promise<void>
}

export async function startPostgresProxy(database: string): Promise<PostgresProxy> {
  const url = new URL(database)
  let target = Number(url.port)
  const links = new Set<Link>()
  const state: State = { delay: 0, stalled: false, dropping: false, refused: undefined, onCommit: undefined }
  const server = createServer((client) => {
    const link = createLink(client, connect(target, '127.0.0.1'), state)
    links.add(link)
    client.on('close', () => links.delete(link))
  })
  const listen = (port: number) => new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  url.port = String(port)
  const cut = async () => {
    const closed = new Promise((resolve) => void server.close(resolve))
    for (const link of links) link.destroy()
    await closed
  }
  return {
    url: url.href,
    connections: () => links.size,
    cut,
    mend: () => listen(port),
    leadTo: (other) => void (target = Number(new URL(other).port)),
    stall: () => void (state.stalled = true),
    stallAtCommit: () =>
      new Promise((resolve) => {
        state.onCommit = () => {
          state.stalled = true
          resolve()
        }
      }),
    resume() {
      state.stalled = false
      for (const link of links) link.flush()
    },
    delay: (milliseconds) => void (state.delay = milliseconds),
    dropNotifications: (drop) => void (state.dropping = drop),
    // Its answer comes when the database has committed.
    loseCommit: () =>
      void (state.onCommit = (client, upstream) =>
        upstream.removeAllListeners('data').once('data', () => client.destroy())),
    refuseParameter: (name) => void (state.refused = name),
    async close() {
      state.stalled = false
      if (server.listening) await cut()
    },
  }
}

interface State {
  delay: number
  stalled: boolean
  dropping: boolean
  refused: string | undefined
  /** Called once, before the next COMMIT is passed on. */
  onCommit: ((client: Socket, server: Socket) => void) | undefined
}

interface Link {
  readonly flush: () => void
  readonly destroy: () => void
}

function createLink(client: Socket, server: Socket, state: State): Link {
  client.setNoDelay(true)
  server.setNoDelay(true)
  client.on('data', (data: Buffer) => {
    const { onCommit } = state
    if (!onCommit || !/\bcommit\b/i.test(data.toString('latin1'))) return
    state.onCommit = undefined
    onCommit(client, server)
  })
  const directions = [
    createDirection(client, server, state),
    createDirection(server, client, state, withoutNotifications(state)),
  ]
  client.once('data', (hello: Buffer) => {
    if (state.refused !== undefined && hello.includes(state.refused)) client.end(refusal(state.refused))
  })
  return {
    flush: () => directions.forEach((direction) => direction.flush()),
    destroy() {
      client.destroy()
      server.destroy()
    },
  }
}

/** Passes on in order what one end sends, and that it has ended. */
function createDirection(from: Socket, to: Socket, state: State, filter = (data: Buffer) => data) {
  const waiting: (() => void)[] = []
  const flush = () => {
    if (!state.stalled) for (const pass of waiting.splice(0)) pass()
  }
  const later = (pass: () => void) => {
    const arrive = () => {
      waiting.push(pass)
      flush()
    }
    if (state.delay > 0) setTimeout(arrive, state.delay)
    else arrive()
  }
  from.on('error', () => {})
  from.on('data', (data: Buffer) => later(() => !to.destroyed && to.write(filter(data))))
  from.on('close', () => later(() => to.destroy()))
  return { flush }
}

/** Messages of a server have a letter and a length; `A` is a notification (PostgreSQL's manual, section 54.7). */
function withoutNotifications(state: State): (data: Buffer) => Buffer {
  let rest = Buffer.alloc(0)
  return (data) => {
    rest = Buffer.concat([rest, data])
    const passed: Buffer[] = []
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readInt32BE(1))
      rest = rest.subarray(message.length)
      if (!state.dropping || message[0] !== 'A'.charCodeAt(0)) passed.push(message)
    }
    return Buffer.concat(passed)
  }
}

/** An ErrorResponse as PgBouncer words it. */
function refusal(name: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`)
  const head = Buffer.from('E\0\0\0\0', 'latin1')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}
