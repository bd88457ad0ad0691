import { createHash } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { createCall, keysFor, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { asked, outcome } from './people.ts'

const numbered = { numberMatching: true }
const wrongNumber = { state: 'denied', reason: 'wrong_number' }

describe.each(mainEngines)('the code that is scanned in place of the number, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let running: Running

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database })
  })
  afterAll(() => running.close())

  /** A request, the secret of its code, and what its device learns by scanning. */
  async function shown(more: object = {}) {
    const enrolled = await running.enroll(unique(), more)
    const created = await enrolled.ask(numbered)
    const [request] = await enrolled.pending()
    const { nonce } = request!
    const { id, number, scanSecret: secret = '' } = created
    const scan = async (scanned: string, session = id) =>
      read(await enrolled.device.scan(session, { nonce, secret: scanned }))
    const answer = async (content: object) => read(await enrolled.device.answer(id, { nonce, ...content }))
    return { ...enrolled, created, id, nonce, number, secret, scan, answer, state: () => enrolled.session(id) }
  }

  it('a scan code and typed numbers allow one guess in all when many arrive at once', async () => {
    const { number, scan, answer, state } = await shown()
    const wrong = ['10', '11', '12'].filter((each) => each !== number)
    const guesses = [
      ...Array.from({ length: 5 }, () => scan(random128())),
      ...wrong.map((each) => answer({ decision: 'approve', number: each })),
    ]

    const answers = await Promise.all(guesses)

    expect(answers.filter(({ status }) => status === 200).map(({ json }) => json)).toMatchObject([wrongNumber])
    expect(answers.filter(({ code }) => code === 'api.error.conflict.state')).toHaveLength(guesses.length - 1)
    expect((await state()).reason).toBe('wrong_number')
  })

  inFullRun(
    'a scan code has a secret of 128 random bits, which the creating call returns along with the number',
    async () => {
      const [request, otherRequest] = [await shown(), await shown()]

      expect(request.secret).toMatch(/^[A-Za-z0-9_-]{22}$/)
      expect(request.secret).not.toBe(otherRequest.secret)
      expect((await request.ask()).scanSecret).toBeUndefined()
    },
  )

  it('a scan code does not exist over version 1.3', async () => {
    const { user } = await running.enroll(unique())
    const old = createCall(running.origin, running.apiKey)
    const body = { user: { id: user.id }, ...numbered }

    const { text } = await old('POST', `/domains/${running.domain.id}/sessions`, { body, headers: { accept: '*/*' } })

    expect(text).toMatch(/^\{"id":"[0-9a-f]{40}","state":"pending"\}$/)
  })

  it('the secret of a scan code is stored as a hash and returned by no other read', async () => {
    const { device, id, secret, state, scan, answer, number } = await shown()
    const reads = [await state(), (await read(await device.inbox())).text]
    await scan(secret)
    await answer({ decision: 'approve', number })
    reads.push(await state(), (await read(await device.get(devicePaths.history))).text)

    const { ctx, close } = await openDatabase(database, keysFor(database))
    const row = await ctx.store.db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const entries = await entriesOf(ctx.store.db)
    await close()

    expect(row.scanHash).toBe(createHash('sha256').update(secret).digest('base64url'))
    expect(JSON.stringify(reads)).not.toContain(row.scanHash)
    expect(JSON.stringify([reads, row, entries, running.logged])).not.toContain(secret)
  })

  it('a scan code gives the device the number and approves nothing', async () => {
    const { id, number, secret, scan, state } = await shown()

    const answers = [await scan(secret), await scan(secret)]

    expect(answers.map(({ json }) => json)).toEqual([0, 1].map(() => ({ id, state: 'pending', number })))
    expect((await state()).state).toBe('pending')
  })

  it('a scan code gives a number that approves the session', async () => {
    const { secret, scan, answer, state } = await shown()

    const { number } = (await scan(secret)).json
    await answer({ decision: 'approve', number })

    expect(await state()).toMatchObject({ state: 'approved', factor: 'push' })
  })

  it('a wrong scan secret counts as a wrong number: it denies the session for good, without the number', async () => {
    const { id, secret, scan, state } = await shown()
    const wrong = random128()

    const first = await scan(wrong)
    const secondScan = await scan(wrong)
    const late = await scan(secret)

    expect(first.json).toEqual({ id, ...wrongNumber })
    expect(secondScan.json).toEqual(first.json)
    expect([late.status, late.code]).toEqual([409, 'api.error.conflict.state'])
    expect(await state()).toMatchObject(wrongNumber)
  })

  inFullRun('a wrong scan secret is recorded like a wrong number', async () => {
    const [scanned, typed] = [await shown(), await shown()]
    await scanned.scan(random128())
    await typed.answer({ decision: 'approve', number: typed.number === '10' ? '11' : '10' })

    const { ctx, close } = await openDatabase(database, keysFor(database))
    const entries = await entriesOf(ctx.store.db)
    await close()
    const denied = [scanned, typed].map(({ id, signer }) =>
      entries
        .filter(
          ({ event, facts, actor }) => event === 'session.denied' && facts['session'] === id && actor.id === signer.id,
        )
        .map(({ facts: { reason, factor } }) => ({ reason, factor })),
    )
    const histories = await Promise.all(
      [scanned, typed].map(({ device }) => device.get(devicePaths.history).then(read)),
    )

    expect(denied).toEqual([0, 1].map(() => [{ reason: 'wrong_number', factor: null }]))
    expect(histories.map(({ json }) => json.entries[0])).toMatchObject([wrongNumber, wrongNumber])
  })

  it('a scan code belongs to one session: the secret of another request of the same device is wrong', async () => {
    const { ask, scan, state } = await shown()
    const other = await ask(numbered)

    expect((await scan(other.scanSecret!)).json).toMatchObject(wrongNumber)
    expect((await state()).state).toBe('denied')
  })

  it('a scan code is worth nothing to another device', async () => {
    const [mine, theirs] = [await shown(), await shown()]

    const answer = await outcome(await theirs.device.scan(mine.id, { nonce: mine.nonce, secret: mine.secret }))

    expect(answer).toEqual([404, 'api.error.notfound.session'])
    expect((await mine.state()).state).toBe('pending')
  })

  it('a scan needs the nonce of its request, which is checked before the secret', async () => {
    const { device, id, state } = await shown()

    const answer = await outcome(await device.scan(id, { nonce: random128(), secret: random128() }))

    expect(answer).toEqual([400, 'api.error.invalid.nonce'])
    expect((await state()).state).toBe('pending')
  })

  it('each signed call can read a scan code only once', async () => {
    const { device, id, nonce, secret } = await shown()
    const same = { jti: random128() }
    const scan = () => device.scan(id, { nonce, secret }, same)

    expect([(await scan()).status, await outcome(await scan())]).toEqual([200, [401, 'api.error.device.replayed']])
  })

  it.each([
    ['has expired', (_: string, { clock }: Running) => clock.advance(90)],
    ['is canceled', (id: string, { call, domain }: Running) => call('DELETE', `/domains/${domain.id}/sessions/${id}`)],
  ])('a scan comes too late once the session %s, whether its secret is right or wrong', async (_, end) => {
    const { id, secret, scan } = await shown()
    await end(id, running)

    const answers = [await scan(secret), await scan(random128())]

    expect(answers.map(({ code }) => code)).toEqual(['api.error.conflict.state', 'api.error.conflict.state'])
    expect(answers.map(({ text }) => text.includes('number'))).toEqual([false, false])
  })

  inFullRun('a scan settles nothing where the request has no number', async () => {
    const { device, id, nonce, session } = await asked(running)

    const answer = await outcome(await device.scan(id, { nonce, secret: random128() }))

    expect(answer).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('pending')
  })
})

describeInFullRun('the code that is scanned in place of the number, with a PIN,', () => {
  let running: Running

  beforeAll(async () => {
    running = await startService({}, { keyType: 'PIN', maxAllowedRetries: 5 })
  })
  afterAll(() => running.close())

  it('a scan code replaces the number and not the PIN', async () => {
    const { device, ask, pending, session } = await running.enroll(unique(), { pin: '4071' })
    const { id, scanSecret } = await ask(numbered)
    const [request] = await pending()
    const { nonce } = request!

    const { number } = (await read(await device.scan(id, { nonce, secret: scanSecret }))).json
    const without = await outcome(await device.answer(id, { nonce, decision: 'approve', number }))
    const wrong = await outcome(await device.answer(id, { nonce, decision: 'approve', number, pin: '0000' }))

    expect([without, wrong]).toEqual([
      [400, 'api.error.invalid.pin'],
      [400, 'api.error.invalid.pin'],
    ])
    expect((await session(id)).state).toBe('pending')
  })
})
