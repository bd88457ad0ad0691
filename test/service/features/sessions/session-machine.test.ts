import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isLongRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'

/** What a session ought to be, by the documents alone. Times in seconds. */
interface Expected {
  readonly id: string
  readonly challenge: string
  readonly nonce: string
  readonly number: string | undefined
  readonly createdAt: number
  state: 'pending' | 'approved' | 'denied' | 'cancelled'
  reason: string | undefined
  settledAt: number | undefined
  redeemed: boolean
  /** Approved, and ended by a report before it was redeemed. */
  ended: boolean
  /** Reported after it had ended without an answer. */
  reportedLate: boolean
}

interface Model {
  now: number
  sessions: Expected[]
  /** Unix times of the requests that were not approved. */
  pushes: number[]
  pausedUntil: number
  /** Whether the person has the device, and belongs to the domain. */
  active: boolean
  member: boolean
}

type Real = Awaited<ReturnType<typeof arrange>>

const lifetime = 90
const redeemable = 10 * 60
const readable = 24 * 60 * 60

async function arrange(running: Running) {
  const person = await running.enroll(`modelled ${random128()}`)
  return { ...person, running, domain: `/domains/${running.domain.id}` }
}

const isPending = (session: Expected, now: number) => session.state === 'pending' && session.createdAt + lifetime > now

/** State and reason as they read now; nothing once it is too long ago. */
function readableState(session: Expected, now: number): { state: string; reason?: string } | undefined {
  const expired = session.state === 'pending' && session.createdAt + lifetime <= now
  const settledAt = expired ? session.createdAt + lifetime : session.settledAt
  if (settledAt !== undefined && settledAt + readable <= now) return undefined
  if (expired) return { state: 'expired', reason: 'timeout' }
  return { state: session.state, ...(session.reason !== undefined && { reason: session.reason }) }
}

/** A command that names one of the sessions there are, 0 for the latest. */
type Step = (model: Model, real: Real, session: Expected) => Promise<void>

class Command implements fc.AsyncCommand<Model, Real> {
  readonly #name: string
  readonly #index: number
  readonly #step: Step
  constructor(name: string, index: number, step: Step) {
    this.#name = name
    this.#index = index
    this.#step = step
  }
  check(model: Readonly<Model>): boolean {
    return this.#name === 'create' || this.#name === 'sign in' || this.#name === 'advance' || model.sessions.length > 0
  }
  async run(model: Model, real: Real): Promise<void> {
    await this.#step(model, real, model.sessions.at(-1 - (this.#index % Math.max(1, model.sessions.length)))!)
  }
  toString(): string {
    return `${this.#name}(${this.#index})`
  }
}

async function create(model: Model, { running, domain, user, pending }: Real): Promise<void> {
  const challenge = random128()
  const body = { user: { id: user.id }, challenge, numberMatching: true }
  const answer = await running.call('POST', `${domain}/sessions`, { body })
  expect(answer.code).toBe(refusal(model))
  if (answer.status !== 200) return
  model.pushes.push(model.now)
  const request = (await pending()).find(({ id }) => id === answer.json.id)
  model.sessions.push({
    id: answer.json.id,
    challenge,
    nonce: request!.nonce,
    number: answer.json.number,
    createdAt: model.now,
    state: 'pending',
    reason: undefined,
    settledAt: undefined,
    redeemed: false,
    ended: false,
    reportedLate: false,
  })
}

function refusal({ member, active, now, pausedUntil, sessions, pushes }: Model): string | undefined {
  if (!member) return 'api.error.notfound.user'
  if (!active) return 'api.error.notfound.token'
  const within = (window: number) => pushes.filter((at) => at > now - window).length
  const tooMany =
    pausedUntil > now ||
    sessions.filter((session) => isPending(session, now)).length >= 3 ||
    within(10 * 60) >= 5 ||
    within(24 * 60 * 60) >= 15
  return tooMany ? 'api.error.toomanyrequests' : undefined
}

/** Only what nobody has answered, and for ten minutes. */
function isReportable({ active, now }: Model, session: Expected): boolean {
  const expired = session.state === 'pending' && session.createdAt + lifetime <= now
  const endedAt = expired ? session.createdAt + lifetime : session.state === 'cancelled' ? session.settledAt : undefined
  return active && !session.reportedLate && endedAt !== undefined && endedAt + 10 * 60 > now
}

/** What a report does to everything but its own request. */
function blockAll(model: Model): void {
  model.pausedUntil = model.now + 15 * 60
  for (const other of model.sessions) {
    other.ended ||= other.state === 'approved' && !other.redeemed
    if (isPending(other, model.now)) Object.assign(other, { state: 'denied', reason: 'reported', settledAt: model.now })
  }
}

const decide =
  (decision: 'approve' | 'deny' | 'report', guess: 'right' | 'wrong' = 'right'): Step =>
  async (model, { device }, session) => {
    const wrong = session.number === '47' ? '48' : '47'
    const number = decision === 'approve' ? { number: guess === 'right' ? session.number : wrong } : {}
    const open = model.active && isPending(session, model.now)
    const before = readableState(session, model.now)
    const late = decision === 'report' && isReportable(model, session)

    const { status } = await device.answer(session.id, { nonce: session.nonce, decision, ...number })

    if (late) {
      expect(status).toBe(200)
      session.reportedLate = true
      blockAll(model)
      return
    }
    if (!open) {
      // The very answer that settled it is heard again; nothing else is.
      const isAgain = decision === 'report' && session.reportedLate
      if (status === 200 && before && !isAgain) expect(before.state).toMatch(/approved|denied/)
      return
    }
    expect(status).toBe(200)
    session.settledAt = model.now
    session.state = decision === 'approve' && guess === 'right' ? 'approved' : 'denied'
    if (decision === 'report') {
      session.reason = 'reported'
      blockAll(model)
    }
    if (decision === 'deny') session.reason = 'user_denied'
    if (decision === 'approve' && guess === 'wrong') session.reason = 'wrong_number'
    if (session.state === 'approved') model.pushes = []
  }

/** What most people do. */
const signIn: Step = async (model, real) => {
  const before = model.sessions.length
  await create(model, real)
  const session = model.sessions[before]
  if (session) await decide('approve')(model, real, session)
}

const cancel: Step = async (model, { running, domain }, session) => {
  const pending = isPending(session, model.now)

  await running.call('DELETE', `${domain}/sessions/${session.id}`)

  if (pending) Object.assign(session, { state: 'cancelled', reason: 'cancelled', settledAt: model.now })
}

const read: Step = async (model, { running, domain }, session) => {
  const answer = await running.call('GET', `${domain}/sessions/${session.id}`)

  const expected = readableState(session, model.now)
  expect(answer.status).toBe(expected ? 200 : 404)
  if (expected)
    expect({ state: answer.json.state, reason: answer.json.reason }).toEqual({ reason: undefined, ...expected })
}

const redeem =
  (whose: 'own' | 'other'): Step =>
  async (model, { running, domain }, session) => {
    const challenge = whose === 'own' ? session.challenge : random128()
    const good =
      whose === 'own' &&
      session.state === 'approved' &&
      !session.redeemed &&
      !session.ended &&
      model.active &&
      model.member &&
      (session.settledAt ?? 0) > model.now - redeemable

    const { status } = await running.call('POST', `${domain}/sessions/${session.id}/redeem`, { body: { challenge } })

    expect(status === 200).toBe(good)
    if (good) session.redeemed = true
  }

/** Everything that waits for an answer ends with the device. */
function endAll(model: Model): void {
  for (const session of model.sessions) {
    if (isPending(session, model.now))
      Object.assign(session, { state: 'cancelled', reason: 'cancelled', settledAt: model.now })
  }
  model.active = false
}

const revoke: Step = async (model, { running, domain, user }) => {
  await running.call('DELETE', `${domain}/users/${user.id}/token`)
  endAll(model)
}

const leave: Step = async (model, { running, domain, user }) => {
  await running.call('DELETE', `${domain}/users/${user.id}`)
  endAll(model)
  model.member = false
}

const advance =
  (seconds: number): Step =>
  async (model, { running }) => {
    await running.clock.advance(seconds)
    model.now = running.clock.now()
  }

const index = fc.constantFrom(0, 0, 0, 1, 2, 5)
const command = (name: string, step: Step) => index.map((at) => new Command(name, at, step))
const moments = [1, 30, 60, 89, 90, 91, 5 * 60, 599, 600, 601, 15 * 60, 60 * 60, 86_399, 86_400]

const commands = fc.commands(
  [
    command('create', create),
    command('create', create),
    command('sign in', signIn),
    command('sign in', signIn),
    command('approve', decide('approve')),
    command('wrong number', decide('approve', 'wrong')),
    command('deny', decide('deny')),
    command('report', decide('report')),
    command('cancel', cancel),
    command('read', read),
    command('read', read),
    command('redeem', redeem('own')),
    command('redeem', redeem('own')),
    command('redeem', redeem('own')),
    command('redeem', redeem('own')),
    command('redeem for another', redeem('other')),
    fc.constantFrom(...moments).map((seconds) => new Command('advance', seconds, advance(seconds))),
    // Rarely: after it not much can happen.
    fc.nat({ max: 9 }).map((at) => new Command('revoke', at, at === 0 ? revoke : read)),
    fc.nat({ max: 9 }).map((at) => new Command('leave', at, at === 0 ? leave : read)),
  ],
  { maxCommands: 30, size: '+1' },
)

/** The same each time, so that what it finds can be found again. */
const seed = 20_261_120

let postgres: Postgres

beforeAll(async () => {
  postgres = await openPostgres()
})
afterAll(() => postgres.stop())

/** The long run tries more sequences. */
const factor = isLongRun ? 20 : 1

describe.each([
  { engine: 'SQLite', numRuns: 10 * factor, database: () => Promise.resolve(':memory:') },
  { engine: 'PostgreSQL', numRuns: 8 * factor, database: () => postgres.createDatabase() },
])('sessions on $engine', ({ numRuns, database }) => {
  it('sessions match the documented model for any sequence of events', { timeout: 300_000 }, async () => {
    const running = await startService({ database: await database() })
    let approved = 0
    try {
      await fc.assert(
        fc.asyncProperty(commands, async (steps) => {
          const real = await arrange(running)
          const model: Model = {
            now: running.clock.now(),
            sessions: [],
            pushes: [],
            pausedUntil: 0,
            active: true,
            member: true,
          }
          await fc.asyncModelRun(() => ({ model, real }), steps)
          for (const session of model.sessions) await read(model, real, session)
          approved += model.sessions.filter((session) => session.redeemed).length
        }),
        { numRuns, seed, endOnFailure: true },
      )
    } finally {
      await running.close()
    }
    // Otherwise it has looked at nothing that matters.
    expect(approved).toBeGreaterThan(5)
  })
})
