import { AsyncLocalStorage } from 'node:async_hooks'

import type { MfaEvent } from '../request/events.ts'
import type { Logger } from '../options.ts'
import { explain } from './explain.ts'
import type { Trace } from '../request/trace.ts'

/** What is kept at most: of web sessions, and of each; characters of a text. */
export const debugLimits = { webSessions: 30, requests: 40, steps: 12, events: 40, lines: 40, text: 400 }

/** One request of a web session, as the page shows it. */
export interface TracedRequest {
  /** Unix time, seconds. */
  readonly at: number
  readonly method: string
  /** Without its query, which may hold what only the app should know. */
  readonly path: string
  readonly requestId: string
  userKey: string | undefined
  /** Undefined while it is not answered. */
  status: number | undefined
  readonly steps: string[]
}

/** What the page shows to one web session, newest last. */
export interface Recorded {
  /** Who was signed in last. */
  userKey: string | undefined
  requests: TracedRequest[]
  events: MfaEvent[]
  lines: LoggedLine[]
}

export interface LoggedLine {
  readonly level: 'warning' | 'error'
  readonly text: string
}

type Started = Pick<TracedRequest, 'at' | 'method' | 'path' | 'requestId'>

/** What happened lately, in memory: each web session has its own, and reads no other. */
export interface DebugLog {
  /** @param key of the web session. */
  begin(
    key: string,
    started: Started,
  ): { readonly trace: Trace; readonly end: (status: number, key: string | undefined) => void }
  read(key: string | undefined): Recorded
  /** What was logged outside of requests: about the app as a whole. */
  readonly lines: readonly LoggedLine[]
  /** The same logger, listened to. */
  listen(logger: Logger): Logger
}

/** @param blot takes secrets out of a text. */
export function createDebugLog(redact: (text: string) => string): DebugLog {
  const webSessions = new Map<string, Recorded>()
  const present = new AsyncLocalStorage<Recorded>()
  const lines: LoggedLine[] = []
  const cut = (text: string) => redact(text).slice(0, debugLimits.text)

  function touch(key: string): Recorded {
    const recorded = webSessions.get(key) ?? nothing()
    webSessions.delete(key)
    webSessions.set(key, recorded)
    const [oldest] = webSessions.keys()
    if (webSessions.size > debugLimits.webSessions && oldest !== undefined) webSessions.delete(oldest)
    return recorded
  }

  function hear(level: LoggedLine['level'], text: string): void {
    const recorded = present.getStore()
    push(recorded ? recorded.lines : lines, { level, text: cut(text.replace(/^mfa: /, '')) }, debugLimits.lines)
  }

  return {
    lines,
    begin(key, started) {
      const recorded = touch(key)
      const request: TracedRequest = {
        ...started,
        path: cut(started.path),
        userKey: undefined,
        status: undefined,
        steps: [],
      }
      push(recorded.requests, request, debugLimits.requests)
      const trace: Trace = {
        note: (step) => push(request.steps, cut(explain(step)), debugLimits.steps),
        tell: (event) => push(recorded.events, event, debugLimits.events),
        isOf(userKey) {
          request.userKey = userKey
          if (userKey === undefined) return
          // Somebody else has signed in: what was recorded before is not theirs to read.
          if ((recorded.userKey ?? userKey) !== userKey) Object.assign(recorded, nothing(), { requests: [request] })
          recorded.userKey = userKey
        },
        run: (run) => present.run(recorded, run),
      }
      return {
        trace,
        end(status, later) {
          request.status = status
          // The web session got another id: nobody who knows the old one reads on.
          if (later === undefined || later === key || webSessions.get(key) !== recorded) return
          webSessions.delete(key)
          webSessions.set(later, recorded)
        },
      }
    },
    read: (key) => (key === undefined ? undefined : webSessions.get(key)) ?? nothing(),
    listen: (logger) => ({
      info: (message) => logger.info(message),
      warn(message) {
        hear('warning', message)
        logger.warn(message)
      },
      error(message) {
        hear('error', message)
        logger.error(message)
      },
    }),
  }
}

const nothing = (): Recorded => ({ userKey: undefined, requests: [], events: [], lines: [] })

/** The oldest make room. */
function push<T>(list: T[], entry: T, max: number): void {
  list.push(entry)
  if (list.length > max) list.shift()
}
