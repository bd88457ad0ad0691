import { AsyncLocalStorage } from 'node:async_hooks'

import type { MfaEvent } from '../options/mfa-event.ts'
import type { Logger } from '../options/app.ts'
import { explain } from './explain.ts'
import type { Trace } from '../request/trace.ts'

/** The limits: of web sessions, and per web session; characters of a text. */
export const debugLimits = { webSessions: 30, requests: 40, steps: 12, events: 40, lines: 40, text: 400 }

/** One request of a web session, as the page shows it. */
export interface TracedRequest {
  /** Unix time, seconds. */
  readonly at: number
  readonly method: string
  /** The path without the query, which may contain secrets of the app. */
  readonly path: string
  readonly requestId: string
  userKey: string | undefined
  /** Undefined before the answer. */
  status: number | undefined
  readonly steps: string[]
}

/** The record of one web session, newest last. */
export interface DebugRecord {
  /** The user who was signed in last. */
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

/** Recent requests, in memory: each web session has its own record, and cannot read another. */
export interface DebugLog {
  /** @param key of the web session. */
  begin(key: string, started: Started): { readonly trace: Trace; readonly end: (status: number) => void }
  read(key: string | undefined): DebugRecord
  /** Lines that were logged outside requests, about the app as a whole. */
  readonly lines: readonly LoggedLine[]
  /** Wraps a logger so that its lines are recorded. */
  listen(logger: Logger): Logger
}

/** @param redact removes secrets from a text. */
export function createDebugLog(redact: (text: string) => string): DebugLog {
  const webSessions = new Map<string, DebugRecord>()
  const current = new AsyncLocalStorage<DebugRecord>()
  const lines: LoggedLine[] = []
  const cut = (text: string) => redact(text).slice(0, debugLimits.text)

  function touch(key: string): DebugRecord {
    const recorded = webSessions.get(key) ?? nothing()
    webSessions.delete(key)
    webSessions.set(key, recorded)
    const [oldest] = webSessions.keys()
    if (webSessions.size > debugLimits.webSessions && oldest !== undefined) webSessions.delete(oldest)
    return recorded
  }

  function hear(level: LoggedLine['level'], text: string): void {
    const recorded = current.getStore()
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
          // Another user has signed in, or this one has signed out: neither may read the record of the previous one.
          if (recorded.userKey !== undefined && recorded.userKey !== userKey)
            Object.assign(recorded, nothing(), { requests: [request] })
          recorded.userKey = userKey
        },
        run: (run) => current.run(recorded, run),
      }
      return {
        trace,
        end: (status) => void (request.status = status),
      }
    },
    read: (key) => (key === undefined ? undefined : webSessions.get(key)) ?? nothing(),
    listen: (logger) => ({
      debug: (message) => logger.debug?.(message),
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

const nothing = (): DebugRecord => ({ userKey: undefined, requests: [], events: [], lines: [] })

/** Removes the oldest entry beyond the limit. */
function push<T>(list: T[], entry: T, max: number): void {
  list.push(entry)
  if (list.length > max) list.shift()
}
