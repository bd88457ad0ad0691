import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Registry } from 'prom-client'

import type { ServiceContext } from '../context.ts'
import type { Observer } from '../observer.ts'
import { ApiProblem } from '../problem.ts'
import { countPending } from '../store/sessions.ts'
import type { Page } from './front.ts'

/** Figures for Prometheus. */
export interface Metrics {
  readonly observer: Observer
  /** What can be counted only when it is asked for. */
  watch(ctx: Pick<ServiceContext, 'store' | 'clock' | 'waiters'>): void
  /** @param token Who asks has to know it, where there is one. */
  page(token?: string): Page
}

/** A held read takes up to a minute, everything else should be at the left. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** @throws {TypeError} where `prom-client` is not installed. */
export async function createMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await loadClient()
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  const requests = new Histogram({
    name: 'second_factor_request_duration_seconds',
    help: 'Requests by operation and status, with the time until their answer was through.',
    labelNames: ['operation', 'status'],
    buckets,
    registers,
  })
  const settled = new Counter({
    name: 'second_factor_sessions_settled_total',
    help: 'Sessions that this process settled, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const pushes = new Counter({
    name: 'second_factor_push_messages_total',
    help: 'Push messages of this process, by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  return {
    observer: {
      answered: ({ operation, status, seconds }) => requests.observe({ operation, status }, seconds),
      settled: (outcome, sessions = 1) => settled.inc({ outcome }, sessions),
      pushed: (outcome) => pushes.inc({ outcome }),
    },
    watch({ store, clock, waiters }) {
      const pending = new Gauge({
        name: 'second_factor_sessions_pending',
        help: 'Sessions of the whole database that wait for an answer.',
        registers: [],
        async collect() {
          this.set(await countPending(store.db, clock.now()))
        },
      })
      const held = new Gauge({
        name: 'second_factor_held_reads',
        help: 'Callers of this process whose answer is held, by what they wait for.',
        labelNames: ['kind'],
        registers: [],
        collect() {
          this.reset()
          for (const [kind, count] of waiters.count()) this.set({ kind }, count)
        },
      })
      register.registerMetric(pending)
      register.registerMetric(held)
    },
    page: (token) => ({
      path: '/metrics',
      async serve(req, res) {
        if (token !== undefined) checkToken(req, token)
        await show(res, register)
      },
    }),
  }
}

async function loadClient() {
  try {
    return await import('prom-client')
  } catch (cause) {
    throw new TypeError('createService: metrics needs the package prom-client: npm install prom-client', { cause })
  }
}

async function show(res: ServerResponse, register: Registry): Promise<void> {
  const text = await register.metrics()
  res.writeHead(200, {
    'Content-Type': register.contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(text)
}

function checkToken({ headers }: IncomingMessage, token: string): void {
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  if (timingSafeEqual(digest(given), digest(token))) return
  throw new ApiProblem('api.error.unauthorized', 'A token is needed.', { headers: { 'WWW-Authenticate': 'Bearer' } })
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
