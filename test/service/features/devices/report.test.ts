import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { cancelPending } from '../../../../src/service/features/sessions/statements.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { waitingForLocks } from '../../../support/waiting-for-locks.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { activateDevice, createCall, keysFor, read, startService, wideLimits } from '../../start-service.ts'
import type { Answer, Running } from '../../start-service.ts'

/** How often a race is repeated. */
const rounds = 6

const reported = { state: 'denied', reason: 'reported' }

describe.each(mainEngines)('"It wasn’t me" on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let otherDomain: string
  /** Another node. */
  let node: Service
  let listener: Listening
  let callThere: Running['call']
  let opened: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
    node = await createService({ database, clock: running.clock, limits: wideLimits, ...keysFor(database) })
    listener = await listen(node.listener, { host: '127.0.0.1', port: 0 })
    callThere = createCall(`http://127.0.0.1:${listener.port}`, running.apiKey)
    opened = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await opened.close()
    await listener.close()
    await Promise.all([running.close(), node.close()])
  })

  interface Request {
    readonly path: string
    readonly challenge: string
    /** What the attacker does who holds the web session. */
    readonly cancel: () => Promise<unknown>
    /** The device's answer, at the first node. */
    readonly answer: (decision: string) => Promise<Answer>
  }

  /** A person with a device in each of two domains, and what each of them does. */
  async function person() {
    const enrolled = await running.enroll(unique())
    const { id } = enrolled.user
    const membership = `/domains/${otherDomain}/users/${id}`
    await running.call('PUT', membership)
    const { json: token } = await running.call('PUT', `${membership}/token`)
    const other = await activateDevice(running.origin, running.clock, token.code)

    async function ask(where: 'here' | 'there' = 'here', more: object = {}): Promise<Request> {
      const challenge = random128()
      const sessions = where === 'here' ? enrolled.sessions : `/domains/${otherDomain}/sessions`
      const { device, pending } = where === 'here' ? enrolled : other
      const { json } = await running.call('POST', sessions, { body: { user: { id }, challenge, ...more } })
      const nonce = (await pending()).find((request) => request.id === json.id)?.nonce
      const answer = async (decision: string) => read(await device.answer(json.id, { nonce, decision }))
      const path = `${sessions}/${json.id}`
      return { path, challenge, answer, cancel: () => callThere('DELETE', path) }
    }
    const pending = async () => [...(await enrolled.pending()), ...(await other.pending())]
    const create = (sessions: string) => callThere('POST', sessions, { body: { user: { id }, challenge: random128() } })
    return { id, ask, pending, create, sessions: enrolled.sessions, other }
  }

  const outcomeOf = async ({ path }: Request) => (await running.call('GET', path)).json
  const redeem = ({ path, challenge }: Request) => callThere('POST', `${path}/redeem`, { body: { challenge } })

  it('a report denies every open request of the person, for all apps and purposes, says how many, and stops later approvals', async () => {
    const { ask, pending } = await person()
    const requests = [await ask(), await ask('here', { purpose: 'change_devices' }), await ask('there')] as const

    const answer = await requests[0].answer('report')

    const late = await Promise.all(requests.map((request) => request.answer('approve')))
    expect(answer.json).toMatchObject({ ...reported, blocked: 3 })
    expect(await Promise.all(requests.map(outcomeOf))).toMatchObject([reported, reported, reported])
    expect(late.map(({ status }) => status)).toEqual([409, 409, 409])
    expect(await pending()).toEqual([])
  })

  it.each(['this node', 'another node'])(
    'a report wakes callers that wait for the person’s other requests at %s',
    async (where) => {
      const { ask } = await person()
      const [first, second] = [await ask(), await ask('there')]
      const isHeld = running.clock.timerSet(25)
      const call = where === 'this node' ? running.call : callThere
      const waiting = call('GET', second.path, { headers: { prefer: 'wait=25' } })
      await isHeld

      await first.answer('report')

      expect((await waiting).json).toMatchObject(reported)
    },
  )

  it('a report leaves the requests of other people open', async () => {
    const [reporter, bystander] = [await person(), await person()]
    const [request, theirs] = [await reporter.ask(), await bystander.ask()]

    await request.answer('report')

    expect((await theirs.answer('approve')).json).toMatchObject({ state: 'approved' })
  })

  it('a report ends an approval that was given before and is not redeemed yet', async () => {
    const { ask } = await person()
    const [approved, request] = [await ask('there'), await ask()]
    await approved.answer('approve')

    const answer = await request.answer('report')

    expect(answer.json).toMatchObject({ blocked: 1 })
    expect((await redeem(approved)).code).toBe('api.error.conflict.state')
  })

  it('a report pauses requests in each app where one was open, and in no other', async () => {
    const [userOfBoth, userOfOne] = [await person(), await person()]
    const [first] = [await userOfBoth.ask(), await userOfBoth.ask('there')]
    await first.answer('report')
    await (await userOfOne.ask()).answer('report')

    const there = `/domains/${otherDomain}/sessions`
    const answers = [
      await userOfBoth.create(userOfBoth.sessions),
      await userOfBoth.create(there),
      await userOfOne.create(there),
    ]

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200])
  })

  inFullRun('a report gets the same response when it is sent again, and for each request that it denied', async () => {
    const { ask } = await person()
    const [first, second] = [await ask(), await ask('there')]
    const { json } = await first.answer('report')

    const repeatedReport = await first.answer('report')
    const beside = await second.answer('report')

    expect(repeatedReport.json).toEqual(json)
    expect([beside.status, beside.json]).toMatchObject([200, { ...reported, blocked: 2 }])
  })

  inFullRun('the audit trail records a report with the number of requests, and each of them as denied', async () => {
    const { id, ask } = await person()
    const [first] = [await ask(), await ask('there')]
    await first.answer('report')

    const entries = (await entriesOf(opened.ctx.store.db)).filter(({ facts }) => facts['user'] === id)

    const denied = entries.filter(({ event }) => event === 'session.denied')
    expect(entries.filter(({ event }) => event === 'session.reported').map(({ facts }) => facts['count'])).toEqual([2])
    expect(denied.map(({ facts }) => facts['reason'])).toEqual(['reported', 'reported'])
  })

  it('a report also denies a request dated in the future, which could be approved later', async () => {
    const { ask } = await person()
    const [first, second] = [await ask(), await ask('there')]
    const id = second.path.split('/').at(-1)!
    const later = running.clock.now() + 600
    const { db } = opened.ctx.store
    const dated = { createdAt: later, expiresAt: later + 90 }
    await db.updateTable('session').set(dated).where('id', '=', id).execute()

    await first.answer('report')

    const { state } = await db.selectFrom('session').select('state').where('id', '=', id).executeTakeFirstOrThrow()
    expect(state).toBe('denied')
  })

  it('a report at once with an approval of another request lets no approval be redeemed', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { ask } = await person()
      const [first, second] = [await ask(), await ask('there')]

      // Whichever is sent first has the better chance.
      const early = round % 2 === 0 ? undefined : second.answer('approve')
      const [report, approval] = await Promise.all([first.answer('report'), early ?? second.answer('approve')])

      const isDenied = (await outcomeOf(second)).reason === 'reported'
      expect(report.json).toMatchObject({ ...reported, blocked: isDenied ? 2 : 1 })
      expect(approval.status).toBe(isDenied ? 409 : 200)
      expect((await redeem(second)).code).toBe('api.error.conflict.state')
    }
  })

  it('a report at once with a new request leaves none open', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { ask, create, pending, sessions } = await person()
      const first = await ask()

      const [report] = await Promise.all([first.answer('report'), create(sessions), create(sessions)])

      expect(report.status).toBe(200)
      expect(await pending()).toEqual([])
    }
  })

  const cancelled = { state: 'cancelled', reason: 'cancelled' }

  inFullRun(
    'a report of a request that an attacker canceled denies the others, ends approvals and pauses, and keeps its state',
    async () => {
      const { id, ask, create, pending, sessions } = await person()
      const [approved, reportedOne, beside] = [await ask('there'), await ask(), await ask('there')]
      await approved.answer('approve')
      await reportedOne.cancel()

      const answer = await reportedOne.answer('report')

      const late = await beside.answer('approve')
      const entries = (await entriesOf(opened.ctx.store.db)).filter(({ facts }) => facts['user'] === id)
      expect([answer.status, answer.json]).toMatchObject([200, { ...cancelled, blocked: 1 }])
      expect([await outcomeOf(reportedOne), await outcomeOf(beside)]).toMatchObject([cancelled, reported])
      expect([late.status, (await redeem(approved)).status, (await create(sessions)).status]).toEqual([409, 409, 429])
      expect(await pending()).toEqual([])
      expect(entries.filter(({ event }) => event === 'session.reported').map(({ facts }) => facts['count'])).toEqual([
        1,
      ])
    },
  )

  inFullRun(
    'a report of an expired request denies the others and gets the same response when it is sent again',
    async () => {
      const { id, ask } = await person()
      const first = await ask()
      await running.clock.advance(60)
      const beside = await ask('there')
      await running.clock.advance(31)

      const answers = [await first.answer('report'), await first.answer('report')]

      const expired = { state: 'expired', reason: 'timeout', blocked: 1 }
      const entries = (await entriesOf(opened.ctx.store.db)).filter(({ facts }) => facts['user'] === id)
      expect(answers.map(({ status, json }) => [status, json])).toMatchObject([
        [200, expired],
        [200, expired],
      ])
      expect(await outcomeOf(beside)).toMatchObject(reported)
      expect(entries.filter(({ event }) => event === 'session.reported')).toHaveLength(1)
    },
  )

  inFullRun(
    'a report of only a canceled request says that it blocked none, and pauses requests all the same',
    async () => {
      const { ask, create, sessions } = await person()
      const request = await ask()
      await request.cancel()

      const answer = await request.answer('report')

      expect(answer.json).toMatchObject({ ...cancelled, blocked: 0 })
      expect((await create(sessions)).status).toBe(429)
    },
  )

  it('a report of a request that has ended comes too late after ten minutes', async () => {
    const { ask } = await person()
    const [request, otherRequest] = [await ask(), await ask('there')]
    await Promise.all([request.cancel(), otherRequest.cancel()])
    await running.clock.advance(599)
    const inTime = await request.answer('report')
    await running.clock.advance(1)

    const late = await otherRequest.answer('report')

    expect([inTime.status, late.status]).toEqual([200, 409])
  })

  it.each(['approve', 'deny'])(
    'a report of a request that got the answer %s comes too late and denies no other',
    async (answer) => {
      const { ask } = await person()
      const [request, beside] = [await ask(), await ask('there')]
      await request.answer(answer)

      const late = await request.answer('report')

      expect(late.status).toBe(409)
      expect(await outcomeOf(beside)).toMatchObject({ state: 'pending' })
    },
  )

  it('a report of an expired request stands even if the clock is set back', async () => {
    const { ask } = await person()
    const request = await ask()
    await running.clock.advance(91)
    await request.answer('report')
    const { db } = opened.ctx.store
    const id = request.path.split('/').at(-1)!
    // What setting the clock back does to it.
    await db
      .updateTable('session')
      .set({ expiresAt: running.clock.now() + 60 })
      .where('id', '=', id)
      .execute()

    const late = await request.answer('approve')

    expect(late.status).toBe(409)
  })

  it('a report at once with the cancellation of its request denies the others', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { ask, pending } = await person()
      const [request, beside] = [await ask(), await ask('there')]

      const early = round % 2 === 0 ? undefined : request.cancel()
      const [report] = await Promise.all([request.answer('report'), early ?? request.cancel()])

      const isCancelled = (await outcomeOf(request)).state === 'cancelled'
      expect([report.status, report.json.blocked]).toEqual([200, isCancelled ? 1 : 2])
      expect(await outcomeOf(beside)).toMatchObject(reported)
      expect(await pending()).toEqual([])
    }
  })

  inFullRun('reports on two devices at once both succeed, with the same number', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { ask } = await person()
      const requests = [await ask(), await ask('there'), await ask('there')]

      const answers = await Promise.all(requests.map((request) => request.answer('report')))

      expect(answers.map(({ status, json }) => [status, json.blocked])).toEqual([
        [200, 3],
        [200, 3],
        [200, 3],
      ])
    }
  })
  // On SQLite, transactions follow each other.
  if (engine === 'SQLite') return

  it('a report that waits for the cancellation of its request denies the others', async () => {
    const { ask } = await person()
    const [request, beside] = [await ask(), await ask('there')]
    const id = request.path.split('/').at(-1)!

    const { report } = await opened.ctx.store.db.transaction().execute(async (db) => {
      await cancelPending(db, id, running.clock.now())
      const reportResponse = request.answer('report')
      await expect.poll(() => waitingForLocks(db)).toBe(1)
      return { report: reportResponse }
    })

    expect((await report).json).toMatchObject({ ...cancelled, blocked: 1 })
    expect(await outcomeOf(beside)).toMatchObject(reported)
  })
})
