import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Registry } from 'prom-client'

import { ApprovalReason } from '../../../contract/approval-state.ts'
import { isPhishingResistant, isStrong, isTyped } from '../../../contract/factor-descriptions.ts'
import { Factor } from '../../../contract/factor.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Observer } from '../monitoring/observer.ts'
import { loadOptional } from '../base/optional-package.ts'
import { ApiProblem } from '../base/problem.ts'
import { connectionUse } from '../database/observed-dialect.ts'
import { countPending } from './pending-sessions.ts'
import type { Page } from './front.ts'
import { isReady } from './health.ts'

/** Metrics for Prometheus. docs/metrics.md lists them. */
export interface Metrics {
  readonly observer: Observer
  /** Values that are read when metrics are requested. */
  watch(ctx: Watched): void
  /** @param guard Requires its token; without a guard, anyone who can reach the page can read it. */
  page(guard?: MetricsGuard): Page
}

type Watched = Pick<ServiceContext, 'store' | 'clock' | 'waiters' | 'losses'>

export interface MetricsGuard {
  readonly token: string
  /** Called for a request without the token. @throws {ApiProblem} after too many of them from one address. */
  readonly limit: (req: IncomingMessage) => void
}

/** Held reads take up to a minute; everything else should be in the lower buckets. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Users take seconds; a request lives for 600 seconds at most. */
const personBuckets = [1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600]
/** A unit of work waits for at most 2 to 4 seconds. */
const waitBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10]
const sweepBuckets = [0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** How long a scrape waits for the database, milliseconds. The other metrics matter most while the database is unavailable. */
const countTimeout = 1_000

/** @throws {SetupError} if `prom-client` is missing or too old. */
export async function createMetrics(): Promise<Metrics> {
  const client = await loadClient()
  const register = new client.Registry()
  client.collectDefaultMetrics({ register })
  return {
    observer: createObserver(client, register),
    watch: (ctx) => watchState(client, register, ctx),
    page: (guard) => ({
      path: '/metrics',
      async serve(req, res) {
        if (guard) checkToken(req, guard)
        await show(res, register)
      },
    }),
  }
}

type Client = Awaited<ReturnType<typeof loadClient>>

/** Counts events. Labels have a small, fixed set of values, never names or ids. */
function createObserver({ Counter, Gauge, Histogram }: Client, register: Registry): Observer {
  const registers = [register]
  const requests = new Histogram({
    name: 'second_factor_request_duration_seconds',
    help: 'Requests by operation and status, with the time until their response was sent, seconds.',
    labelNames: ['operation', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const settled = new Counter({
    name: 'second_factor_sessions_settled_total',
    help: 'Sessions that this process settled, by outcome and factor; number of sessions.',
    labelNames: ['outcome', 'factor'],
    registers,
  })
  const waited = new Histogram({
    name: 'second_factor_session_answer_seconds',
    help: 'Time from the creation of a session to its answer on the device or its cancellation, seconds.',
    labelNames: ['outcome'],
    buckets: personBuckets,
    registers,
  })
  const pushes = new Counter({
    name: 'second_factor_push_messages_total',
    help: 'Push messages of this process, by what became of them; number of messages.',
    labelNames: ['outcome'],
    registers,
  })
  const tries = new Counter({
    name: 'second_factor_activation_codes_total',
    help: 'Activation codes that were tried at this process, by outcome; number of codes.',
    labelNames: ['outcome'],
    registers,
  })
  const approvals = new Counter({
    name: 'second_factor_approvals_total',
    help: 'Approvals of actions that ended, by outcome; number of approvals.',
    labelNames: ['outcome'],
    registers,
  })
  const openId = new Counter({
    name: 'second_factor_openid_total',
    help: 'Answers of the OpenID provider to its clients, by outcome; number of answers.',
    labelNames: ['outcome'],
    registers,
  })
  const pings = new Counter({
    name: 'second_factor_openid_pings_total',
    help: 'Times that a client of the OpenID provider was told of an answer, by outcome; number of messages.',
    labelNames: ['outcome'],
    registers,
  })
  const refused = new Counter({
    name: 'second_factor_sessions_refused_total',
    help: 'Sessions that this process refused to create after too many tries, by way and by whether the browser is known; number of sessions.',
    labelNames: ['way', 'browser'],
    registers,
  })
  const locks = new Counter({
    name: 'second_factor_locks_total',
    help: 'Locks after too many wrong tries: codes that were locked, and tokens that were revoked by wrong PINs; number of locks.',
    labelNames: ['what'],
    registers,
  })
  const alerts = new Counter({
    name: 'second_factor_alerts_total',
    help: 'Times this process told its operator that something is wrong, by audit event; number of alerts.',
    labelNames: ['alert'],
    registers,
  })
  const databaseErrors = new Counter({
    name: 'second_factor_database_errors_total',
    help: 'Reads and changes that the database did not answer or could not store; number of errors.',
    labelNames: ['part'],
    registers,
  })
  const databaseWait = new Histogram({
    name: 'second_factor_database_wait_seconds',
    help: 'Time that units of work waited for a connection, or for their transaction to begin (on SQLite the write lock), seconds.',
    labelNames: ['purpose'],
    buckets: waitBuckets,
    registers,
  })
  const lastWrite = new Gauge({
    name: 'second_factor_database_last_write_timestamp_seconds',
    help: 'When a change was last stored by this process, Unix time, seconds.',
    registers,
  })
  const sweeps = new Histogram({
    name: 'second_factor_sweep_duration_seconds',
    help: 'Time that it took to clear away what is over, by outcome, seconds.',
    labelNames: ['outcome'],
    buckets: sweepBuckets,
    registers,
  })
  const leaps = new Counter({
    name: 'second_factor_clock_leaps_total',
    help: 'Times the clock of the machine leapt against the time that passed; number of leaps.',
    registers,
  })

  // A counter that first appears with its first event shows no increase that an alert could detect.
  for (const factor of Factor.options) {
    for (const outcome of outcomesOf(factor)) settled.inc({ outcome, factor }, 0)
  }
  for (const outcome of approvalOutcomes) approvals.inc({ outcome }, 0)
  for (const outcome of ['signed_in', 'refused', 'secret_refused']) openId.inc({ outcome }, 0)
  for (const outcome of ['sent', 'refused', 'failed']) pings.inc({ outcome }, 0)
  for (const outcome of ['sent', 'gone', 'refused', 'failed', 'dropped']) pushes.inc({ outcome }, 0)
  for (const outcome of ['right', 'wrong', 'refused']) tries.inc({ outcome }, 0)
  for (const way of ['push', 'code']) for (const browser of ['known', 'other']) refused.inc({ way, browser }, 0)
  for (const secret of ['codes', 'token']) locks.inc({ what: secret }, 0)
  for (const alert of ['activation.many_failed', 'activation.suspended']) alerts.inc({ alert }, 0)
  for (const part of ['read', 'write']) databaseErrors.inc({ part }, 0)
  for (const purpose of ['connection', 'transaction']) databaseWait.zero({ purpose })
  for (const outcome of ['approved', ...pushOutcomes]) if (outcome !== 'timeout') waited.zero({ outcome })
  for (const outcome of ['done', 'failed']) sweeps.zero({ outcome })

  return {
    answered: ({ operation, status, seconds }) => requests.observe({ operation, status }, seconds),
    settled(outcome, sessions = 1, session) {
      settled.inc({ outcome, factor: session?.factor ?? pushed }, sessions)
      if (session?.seconds !== undefined) waited.observe({ outcome }, Math.max(0, session.seconds))
    },
    approvalSettled: (outcome) => approvals.inc({ outcome }),
    openId: (outcome) => openId.inc({ outcome }),
    pinged: (outcome) => pings.inc({ outcome }),
    pushed: (outcome) => pushes.inc({ outcome }),
    triedActivation: (outcome) => tries.inc({ outcome }),
    alerted: (alert) => alerts.inc({ alert }),
    refused: (event, browser) => refused.inc({ way: event === 'push.throttled' ? 'push' : 'code', browser }),
    locked: (secret) => locks.inc({ what: secret }),
    waitedForDatabase: (purpose, seconds) => databaseWait.observe({ purpose }, seconds),
    databaseSucceeded(part) {
      if (part === 'write') lastWrite.setToCurrentTime()
    },
    databaseFailed: (part) => databaseErrors.inc({ part }),
    swept: (outcome, seconds) => sweeps.observe({ outcome }, seconds),
    clockJumped: () => leaps.inc(),
  }
}

/** How sessions of a factor can end. */
const outcomesOf = (factor: Factor): readonly string[] => [
  'approved',
  ...(isTyped(factor) ? ['wrong_code'] : []),
  ...(isPhishingResistant(factor)
    ? ['wrong_passkey']
    : isStrong(factor)
      ? ['phishing_resistance_required', 'unknown_browser']
      : []),
  ...(factor === pushed ? pushOutcomes : []),
]

/** The factor that is asked on a device, and that a session has without another one. */
const pushed: Factor = 'push'

/** How approvals of actions can end. */
const approvalOutcomes = ['approved', 'expired', 'cancelled', ...ApprovalReason.options]

/** Outcomes of pushed requests other than approvals. */
const pushOutcomes = ['user_denied', 'reported', 'wrong_number', 'timeout', 'cancelled', 'push_failed']

/** Read when metrics are requested. */
function watchState({ Gauge }: Client, register: Registry, { store, clock, waiters, losses }: Watched): void {
  const registers = [register]
  const pending = new Gauge({
    name: 'second_factor_sessions_pending',
    help: 'Sessions of the whole database that wait for an answer; number of sessions. Absent while the database does not answer.',
    registers,
    async collect() {
      const count = await within(countTimeout, countPending(store.db, clock.now()))
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
  const heldRequests = new Gauge({
    name: 'second_factor_held_reads',
    help: 'Callers of this process whose response is held, by what they wait for; number of callers.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const kind of ['session', 'device']) this.set({ kind }, 0)
      for (const [kind, count] of waiters.count()) this.set({ kind }, count)
    },
  })
  const ready = new Gauge({
    name: 'second_factor_ready',
    help: '1 when /readyz answers 200, else 0.',
    registers,
    async collect() {
      this.set((await within(countTimeout, isReady({ store, waiters }))) === true ? 1 : 0)
    },
  })
  const loss = new Gauge({
    name: 'second_factor_database_loss',
    help: '1 when this process has noticed that the database lost changes, else 0.',
    registers,
    collect() {
      this.set(losses.notice() === undefined ? 0 : 1)
    },
  })
  const connections = new Gauge({
    name: 'second_factor_database_connections',
    help: 'Units of work that have a connection of the database, and that wait for one; number of units.',
    labelNames: ['state'],
    registers,
    collect() {
      const { inUse, waiting } = connectionUse(store.db)
      this.set({ state: 'in_use' }, inUse)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  void [pending, heldRequests, ready, loss, connections]
}

/** @returns undefined if it fails or takes longer than so many milliseconds. */
async function within<T>(timeout: number, result: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => void setTimeout(resolve, timeout, undefined).unref())
  return Promise.race([result.catch(() => undefined), late])
}

const library = { name: 'prom-client', purpose: 'The option metrics', oldest: '14' }

const loadClient = () => loadOptional(library, () => import('prom-client'))

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

function checkToken(req: IncomingMessage, { token, limit }: MetricsGuard): void {
  const [, sentToken = ''] = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? []
  if (timingSafeEqual(digest(sentToken), digest(token))) return
  limit(req)
  throw new ApiProblem('api.error.unauthorized', 'A token is required.', { headers: { 'WWW-Authenticate': 'Bearer' } })
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
