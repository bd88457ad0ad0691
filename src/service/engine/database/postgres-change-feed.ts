import { randomUUID } from 'node:crypto'

import type Pg from 'pg'

import type { ServerWatch } from './postgres-identity.ts'
import type { Store, StoreChange } from './store.ts'
import { withoutCaller } from '../base/waiting-caller.ts'

/** Nodes notify each other of changes by LISTEN and NOTIFY: of the keys that changed, not of the new values. */
interface ChangeFeed {
  readonly watch: Store['watchOtherProcesses']
  readonly notify: Store['notifyOtherProcesses']
  close(): Promise<void>
}

export interface ChangeFeedOptions {
  /** A separate connection, not connected yet. */
  readonly connect: () => Pg.Client
  readonly servers: ServerWatch
  /** Runs a query through the pool. */
  readonly query: (text: string, values: unknown[]) => Promise<unknown>
  /** How often the listening connection is tried, and how long it may take to answer; milliseconds. */
  readonly beat: number
  /** Called when notifications do not arrive although the database answers, and when they arrive again. */
  readonly onHearing: (hears: boolean) => void
}

const channel = 'second_factor'
/** The transaction stores nothing, so it does not have to wait until its end is on the disk. */
const notification = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`
/** Keys in one message: it may have 8,000 bytes, a key has 90 at most. */
const maxKeys = 80
/** Beyond this, one message without keys makes the other nodes check everything. */
const maxMessages = 20
/** Milliseconds. */
const firstPause = 100
const maxPause = 5_000
/** How often waiting requests read the database while no notifications arrive, milliseconds. */
const pollInterval = 1_000
/** First word of a message by which a node tries whether it hears itself. No key begins with it. */
const echoWord = 'echo'

export async function openChangeFeed({
  connect,
  servers,
  query,
  beat,
  onHearing,
}: ChangeFeedOptions): Promise<ChangeFeed> {
  const self = randomUUID()
  const watchers = new Set<(change: StoreChange) => void>()
  const report = (change: StoreChange) => {
    for (const watcher of watchers) watcher(change)
  }
  const send = (words: readonly string[]) => query(notification, [channel, [self, ...words].join(' ')])
  const echo = createEcho((word) => send([echoWord, word]), beat)
  const sender = createSender(send)
  let polling: NodeJS.Timeout | undefined

  /** While no notifications arrive, waiting requests read the database at intervals. */
  const setHearing = (hears: boolean) => {
    if (hears === (polling === undefined)) return
    if (hears) {
      clearInterval(polling)
      polling = undefined
      report('gap')
    } else {
      polling = setInterval(() => report('something'), pollInterval).unref()
    }
    onHearing(hears)
  }
  const listener = await listen(
    { connect, servers, beat },
    {
      onPayload(payload) {
        const [from, ...words] = payload.split(' ')
        if (from === self) echo.heard(words)
        else if (words[0] !== echoWord) report(words.length === 0 ? 'gap' : words)
      },
      missed: () => report('gap'),
      async connected() {
        const echoed = await echo.try()
        if (echoed !== undefined) setHearing(echoed)
        if (echoed !== undefined) sender.retry()
      },
    },
  )
  return {
    watch(watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    notify: (keys) => sender.send(keys),
    async close() {
      clearInterval(polling)
      echo.close()
      await sender.finish()
      await listener.close()
    },
  }
}

/** Checks that messages sent through the pool arrive at the listening connection. */
function createEcho(send: (word: string) => Promise<unknown>, timeout: number) {
  let count = 0
  let settle: ((hasArrived: boolean) => void) | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    /** @returns nothing where it cannot be tried: the database does not answer. */
    async try(): Promise<boolean | undefined> {
      count += 1
      const arrival = new Promise<boolean>((resolve) => void (settle = resolve))
      try {
        await send(String(count))
      } catch {
        // Every other query of the database fails as well, and reports it.
        return undefined
      }
      timer = setTimeout(() => settle?.(false), timeout).unref()
      return arrival.finally(() => clearTimeout(timer))
    },
    heard(words: readonly string[]): void {
      if (words[0] === echoWord && words[1] === String(count)) settle?.(true)
    },
    close: () => clearTimeout(timer),
  }
}

/** Collects keys while others are being sent. */
function createSender(send: (words: readonly string[]) => Promise<unknown>) {
  const waiting = new Set<string>()
  let sending: Promise<void> | undefined
  let failed = false

  async function sendAll(): Promise<void> {
    while (failed || waiting.size > 0) {
      const keys = failed ? undefined : [...waiting]
      waiting.clear()
      failed = true
      if (keys === undefined || keys.length > maxKeys * maxMessages) await send([])
      else for (let start = 0; start < keys.length; start += maxKeys) await send(keys.slice(start, start + maxKeys))
      failed = false
    }
  }

  const start = () => {
    // Keys of one turn share a message. Those that could not be sent are reported later as a gap, because other nodes may
    // have missed them.
    sending ??= Promise.resolve()
      .then(() => withoutCaller(sendAll))
      .catch(() => {})
      .finally(() => (sending = undefined))
  }

  return {
    send(keys: readonly string[]): void {
      for (const key of keys) waiting.add(key)
      start()
    },
    retry(): void {
      if (failed) start()
    },
    finish: () => sending ?? Promise.resolve(),
  }
}

interface Hearing {
  readonly onPayload: (payload: string) => void
  /** Called after a time without a connection. */
  readonly missed: () => void
  /** The connection has just answered. */
  readonly connected: () => Promise<void>
}

/** Stays connected; the first connection has to succeed. */
async function listen(
  { connect, servers, beat }: Pick<ChangeFeedOptions, 'connect' | 'servers' | 'beat'>,
  hearing: Hearing,
): Promise<{ close(): Promise<void> }> {
  let closed = false
  let client: Pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const later = (milliseconds: number, call: () => void) => {
    timer = setTimeout(call, milliseconds)
    timer.unref()
  }
  const tryAgain = (delay: number) =>
    later(delay, () => {
      open().then(hearing.missed, () => closed || tryAgain(Math.min(delay * 2, maxPause)))
    })

  async function open(): Promise<void> {
    const fresh = connect()
    let isLost = false
    const lost = () => {
      if (isLost) return
      isLost = true
      servers.forget(fresh)
      if (client === fresh && !closed) servers.interrupted()
      clearTimeout(timer)
      void fresh.end().catch(() => {})
      if (client !== fresh) return
      client = undefined
      if (!closed) tryAgain(firstPause)
    }
    fresh.on('error', lost).on('end', lost)
    fresh.on('notification', ({ payload }) => hearing.onPayload(payload ?? ''))
    try {
      await fresh.connect()
      await servers.comparePrimary(fresh, lost)
      await fresh.query(`listen ${channel}`)
    } catch (error) {
      lost()
      throw error
    }
    if (closed) return lost()
    client = fresh
    void keepTrying(fresh, lost)
  }

  async function keepTrying(fresh: Pg.Client, lost: () => void): Promise<void> {
    await hearing.connected()
    if (client !== fresh || closed) return
    later(beat, () => void servers.comparePrimary(fresh, lost).then(() => keepTrying(fresh, lost), lost))
  }

  await open()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
