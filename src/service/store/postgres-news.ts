import { randomUUID } from 'node:crypto'

import type Pg from 'pg'

import type { News, Store } from './store.ts'

/** What nodes tell each other by LISTEN and NOTIFY: what changed, not what it is now. */
interface NewsLine {
  readonly watch: Store['watchOthers']
  readonly tell: Store['tellOthers']
  close(): Promise<void>
}

type Query = (text: string, values: unknown[]) => Promise<unknown>

const channel = 'second_factor'
/** Keys in one message: it may have 8,000 bytes, a key has about 50. */
const mostKeys = 120
/** With more to say than so many messages: who listens looks at everything. */
const mostMessages = 20
/** Milliseconds. */
const firstPause = 100
const longestPause = 5_000
/** How often a silent connection is tried. */
const beat = 20_000

/** @param connect A connection of its own, not connected yet. @param query Through the pool. */
export async function openNews(connect: () => Pg.Client, query: Query): Promise<NewsLine> {
  const self = randomUUID()
  const watchers = new Set<(news: News) => void>()
  const tell = (news: News) => {
    for (const watcher of watchers) watcher(news)
  }
  const listener = await listen(connect, {
    heard(payload) {
      const [from, ...keys] = payload.split(' ')
      if (from !== self) tell(keys.length === 0 ? 'gap' : keys)
    },
    missed: () => tell('gap'),
  })
  const teller = createTeller((keys) => query('select pg_notify($1, $2)', [channel, [self, ...keys].join(' ')]))
  return {
    watch(watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    tell: (keys) => teller.tell(keys),
    async close() {
      await teller.finish()
      await listener.close()
    },
  }
}

/** Collects what is to be told while something is being told. */
function createTeller(send: (keys: readonly string[]) => Promise<unknown>) {
  const waiting = new Set<string>()
  let telling: Promise<void> | undefined

  async function tellAll(): Promise<void> {
    while (waiting.size > 0) {
      const keys = [...waiting]
      waiting.clear()
      if (keys.length > mostKeys * mostMessages) await send([])
      else for (let start = 0; start < keys.length; start += mostKeys) await send(keys.slice(start, start + mostKeys))
    }
  }

  return {
    tell(keys: readonly string[]): void {
      for (const key of keys) waiting.add(key)
      // Who is not told finds out when its wait is over; where this fails, reading fails, too.
      telling ??= tellAll()
        .catch(() => waiting.clear())
        .finally(() => (telling = undefined))
    },
    finish: () => telling ?? Promise.resolve(),
  }
}

interface Hearing {
  readonly heard: (payload: string) => void
  /** There was a time without a connection. */
  readonly missed: () => void
}

/** Stays connected; the first connection has to succeed. */
async function listen(connect: () => Pg.Client, hearing: Hearing): Promise<{ close(): Promise<void> }> {
  let closed = false
  let client: Pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const later = (milliseconds: number, call: () => void) => {
    timer = setTimeout(call, milliseconds)
    timer.unref()
  }
  const tryAgain = (delay: number) =>
    later(delay, () => {
      open().then(hearing.missed, () => closed || tryAgain(Math.min(delay * 2, longestPause)))
    })

  async function open(): Promise<void> {
    const fresh = connect()
    const lost = once(() => {
      clearTimeout(timer)
      void fresh.end().catch(() => {})
      if (client !== fresh) return
      client = undefined
      if (!closed) tryAgain(firstPause)
    })
    fresh.on('error', lost).on('end', lost)
    fresh.on('notification', ({ payload }) => hearing.heard(payload ?? ''))
    try {
      await fresh.connect()
      await fresh.query(`listen ${channel}`)
    } catch (error) {
      lost()
      throw error
    }
    if (closed) return lost()
    client = fresh
    const tryConnection = () => later(beat, () => void fresh.query('select 1').then(tryConnection, lost))
    tryConnection()
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

function once(call: () => void): () => void {
  let called = false
  return () => {
    if (called) return
    called = true
    call()
  }
}
