import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { slowHashes } from '../../../../src/service/engine/base/slow-hashes.ts'
import { deviceById } from '../../../../src/service/features/devices/statements.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import { createDevice, currentCode } from '../../../../src/device/index.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { random128 } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { useQuickPins } from '../../../support/quick-pins.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { keysFor, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const pin = '4071'

/** A user whose device requires a PIN, and a session that is pending. */
async function asked(running: Running, more: object = {}) {
  const enrolled = await running.enroll(unique(), { pin })
  const session = await enrolled.ask(more)
  const [request] = await enrolled.pending()
  const nonce = request!.nonce
  const answer = async (content: object) => read(await enrolled.device.answer(session.id, { nonce, ...content }))
  return {
    ...enrolled,
    asked: session,
    answer,
    approve: (content: object = {}) => answer({ decision: 'approve', pin, ...content }),
    state: async () => enrolled.session(session.id),
  }
}

/** Lets every hash wait until the returned function is called. */
function holdHashes(): () => void {
  const hash = slowHashes.hash.bind(slowHashes)
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const spy = vi.spyOn(slowHashes, 'hash').mockImplementation(async (...args) => {
    await promise
    return hash(...args)
  })
  onTestFinished(() => {
    release()
    spy.mockRestore()
  })
  return release
}

describe.each(mainEngines)('a PIN, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let running: Running

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { keyType: 'PIN', maxAllowedRetries: 5 })
  })
  afterAll(() => running.close())

  /** The number of PIN tries in the database. */
  async function triesOf(deviceId = ''): Promise<number | undefined> {
    const { ctx, close } = await openDatabase(database, keysFor(database))
    const device = await deviceById(ctx.store.db, deviceId)
    await close()
    return device?.pinTries
  }

  it('a PIN allows no more than its tries, however many arrive at once', async () => {
    const { approve, state, device, signer } = await asked(running)
    const tried = Array.from({ length: 64 }, (_, index) => String(1000 + index))

    const answers = await Promise.all(tried.map((guess) => approve({ pin: guess })))

    const looked = answers.filter(({ code }) => code === 'api.error.invalid.pin')
    expect(looked.length).toBeLessThan(5)
    expect(await triesOf(signer.id)).toBe(5)
    expect(answers.every(({ status }) => status >= 400)).toBe(true)
    expect((await state()).state).toBe('cancelled')
    expect((await read(await device.inbox())).code).toBe('api.error.device.revoked')
  })

  inFullRun.each([
    ['a PIN', 'that suits 10,000 values, by default', 'PIN', '4071', undefined, /^scrypt:16384:8:1:/],
    ['a passcode', 'that OWASP recommends, by default', 'PASSCODE', 'tulip7', undefined, /^scrypt:32768:8:3:/],
    ['a PIN', 'that is configured', 'PIN', '4071', { N: 4, r: 2, p: 1 }, /^scrypt:4:2:1:/],
  ] as const)('%s is hashed at the cost %s', async (_, __, keyType, secret, pinHashCost, form) => {
    const path = await newDatabase()
    const other = await startService({ database: path, pinHashCost }, { keyType })
    onTestFinished(other.close)
    const { signer } = await other.enroll(unique(), { pin: secret })

    const { ctx, close } = await openDatabase(path, keysFor(path))
    const device = await deviceById(ctx.store.db, signer.id!)
    await close()

    const { id, userId, pin: sealed } = device!
    expect(ctx.secrets.open(sealed!, { kind: 'pin', id, userId })).toMatch(form)
  })

  inFullRun('a retry joins the check of its PIN that is under way, and takes no second try', async () => {
    const { approve, state, signer } = await asked(running)
    const attempt = random128()
    const release = holdHashes()

    const answers = [approve({ attempt }), approve({ attempt })]
    await expect.poll(() => triesOf(signer.id)).toBe(1)
    release()

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    expect(await state()).toMatchObject({ state: 'approved' })
    expect(await triesOf(signer.id)).toBe(0)
  })

  it('a wrong PIN does not join the check of the right one that has the same attempt', async () => {
    const { approve, signer } = await asked(running)
    const other = await asked(running)
    const attempt = random128()
    const release = holdHashes()

    const first = approve({ attempt })
    await expect.poll(() => triesOf(signer.id)).toBe(1)
    const second = await approve({ attempt, pin: '0000' })
    release()

    expect(second).toMatchObject({ status: 429 })
    expect((await first).status).toBe(200)
    expect((await other.approve({ attempt })).status).toBe(200)
  })

  it('a service with a full queue of PINs refuses further ones before it counts a try, and says when to retry', async () => {
    const { answer, state, signer } = await asked(running)
    const cost = { N: 2 ** 9, r: 8, p: 1 }
    const otherHashes = Array.from({ length: 400 }, () => slowHashes.hash('pin', { text: pin, salt: 'salt', cost }))

    const refused = await answer({ decision: 'approve', pin })
    const denied = await answer({ decision: 'deny' })
    await Promise.all(otherHashes)

    expect(refused).toMatchObject({ status: 503, code: 'api.error.unavailable' })
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await triesOf(signer.id)).toBe(0)
    expect(denied.status).toBe(200)
    expect((await state()).state).toBe('denied')
  })

  inFullRun('a correct PIN allows an approval', async () => {
    const { approve, state } = await asked(running)

    expect(await approve()).toMatchObject({ status: 200, json: { state: 'approved' } })
    expect(await state()).toMatchObject({ state: 'approved', factor: 'push' })
  })

  inFullRun('a wrong PIN leaves the request pending, and the response reports how many tries are left', async () => {
    const { approve, state } = await asked(running)

    const wrong = await approve({ pin: '0000' })

    expect(wrong).toMatchObject({ status: 400, code: 'api.error.invalid.pin' })
    expect(wrong.json.errors[0].triesLeft).toBe(4)
    expect(await state()).toMatchObject({ state: 'pending' })
    expect((await approve()).status).toBe(200)
  })

  it('a wrong PIN does not reveal whether the number was right', async () => {
    const request = await asked(running, { numberMatching: true })
    const { number } = request.asked

    const answers = [
      await request.approve({ pin: '0000', number }),
      await request.approve({ pin: '0000', number: number === '11' ? '12' : '11' }),
      await request.approve({ pin: '0000' }),
    ]

    expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.invalid.pin'))
    expect(answers.map(({ json }) => json.errors[0].triesLeft)).toEqual([4, 3, 2])
    expect(await request.state()).toMatchObject({ state: 'pending' })
  })

  it('the last wrong PIN revokes the token, which is reported to the device from then on', async () => {
    const { approve, state, device, user } = await asked(running)

    const answers = []
    for (const wrong of ['0000', '0001', '0002', '0003', '0004']) answers.push(await approve({ pin: wrong }))

    expect(answers.map(({ code }) => code)).toEqual([
      ...Array<string>(4).fill('api.error.invalid.pin'),
      'api.error.device.revoked',
    ])
    expect(await approve()).toMatchObject({ code: 'api.error.device.revoked' })
    expect((await read(await device.inbox())).code).toBe('api.error.device.revoked')
    expect(await state()).toMatchObject({ state: 'cancelled' })
    const token = await running.call('GET', `/domains/${running.domain.id}/users/${user.id}/token`)
    expect(token.code).toBe('api.error.notfound.token')
  })

  inFullRun('wrong PINs are counted across all requests, and a right one starts the count over', async () => {
    const person = await asked(running)
    for (const wrong of ['0000', '0001', '0002', '0003']) await person.approve({ pin: wrong })
    expect((await person.approve()).status).toBe(200)
    const { id } = await person.ask()
    const [request] = await person.pending()

    const wrong = await read(
      await person.device.answer(id, { nonce: request!.nonce, decision: 'approve', pin: '0000' }),
    )

    expect(wrong.json.errors[0].triesLeft).toBe(4)
  })

  it('a wrong PIN is counted once if its response is lost and it is sent again', async () => {
    const { approve } = await asked(running)
    const attempt = random128()

    const first = await approve({ pin: '0000', attempt })
    const repeated = await approve({ pin: '0000', attempt })
    const guess = await approve({ attempt })

    expect([first, repeated, guess].map(({ json }) => json.errors[0].triesLeft)).toEqual([4, 4, 4])
  })

  inFullRun('a PIN costs no try when a lost approval is sent again', async () => {
    const { approve } = await asked(running)
    await approve()

    expect(await approve({ pin: '0000' })).toMatchObject({ status: 200, json: { state: 'approved' } })
  })

  inFullRun('a PIN is not required to deny or report', async () => {
    const [request, otherRequest] = [await asked(running), await asked(running)]

    expect((await request.answer({ decision: 'deny' })).json).toMatchObject({ reason: 'user_denied' })
    expect((await otherRequest.answer({ decision: 'report' })).json).toMatchObject({ reason: 'reported' })
  })

  it('a PIN is required to approve, and a missing one does not count as a try', async () => {
    const { approve } = await asked(running)

    const without = await approve({ pin: undefined })
    const wrong = await approve({ pin: '0000' })

    expect(without).toMatchObject({ status: 400, code: 'api.error.invalid.pin' })
    expect(without.json.errors[0]).not.toHaveProperty('triesLeft')
    expect(wrong.json.errors[0].triesLeft).toBe(4)
  })

  inFullRun('a PIN costs no try if the number is missing', async () => {
    const { approve, asked: session } = await asked(running, { numberMatching: true })

    expect((await approve()).code).toBe('api.error.invalid.number')
    expect((await approve({ pin: '0000', number: session.number })).json.errors[0].triesLeft).toBe(4)
    expect((await approve({ number: session.number })).json).toMatchObject({ state: 'approved' })
  })

  it('a PIN is checked after the nonce: a wrong nonce costs no try', async () => {
    const { approve } = await asked(running)

    expect((await approve({ pin: '0000', nonce: 'A'.repeat(22) })).code).toBe('api.error.invalid.nonce')
    expect((await approve({ pin: '0000' })).json.errors[0].triesLeft).toBe(4)
  })
})

describe('activation in a domain that requires a PIN or passcode', () => {
  useQuickPins()
  let running: Running

  beforeAll(async () => {
    running = await startService({}, { keyType: 'PIN' })
  })
  afterAll(() => running.close())

  async function newCode(service: Running): Promise<string> {
    const { json: user } = await service.call('POST', '/users', {
      body: { username: unique(), name: 'A', email: 'a@example.com' },
    })
    const path = `/domains/${service.domain.id}/users/${user.id}`
    await service.call('PUT', path)
    return (await service.call('PUT', `${path}/token`)).json.code
  }

  it.each([undefined, '', '123', '12345', 'abcd', '٤٠٧١', '0000', '1234', '9876', '1212', '2001'])(
    'activation rejects the PIN %s and does not use up the activation code',
    async (refused) => {
      const code = await newCode(running)
      const device = createDevice({ clock: running.clock })

      const tried = device.activate(running.origin, code, { name: 'Test', pin: refused })

      await expect(tried).rejects.toMatchObject({ code: 'api.error.invalid.pin' })
      expect(await device.activate(running.origin, code, { name: 'Test', pin })).toMatchObject({
        domain: { keyType: 'PIN' },
      })
    },
  )

  it('activation that is repeated because its answer was lost asks for the PIN that was chosen, and counts wrong ones', async () => {
    const code = await newCode(running)
    let lost = 3
    const device = createDevice({
      // Without the pauses between retries.
      clock: {
        now: () => running.clock.now(),
        after: (ms, callback) => (ms < 2000 && queueMicrotask(callback), () => {}),
      },
      fetch: async (...call) => {
        const response = await fetch(...call)
        if (call[0] !== running.origin + devicePaths.activate || lost === 0) return response
        lost -= 1
        throw new TypeError('lost')
      },
    })
    const preview = await device.preview(running.origin, code)
    const activate = (chosen?: string) => device.activate(running.origin, code, { name: 'Test', preview, pin: chosen })

    await expect(activate(pin)).rejects.toMatchObject({ code: 'network' })
    await expect(activate('8264')).rejects.toMatchObject({ code: 'api.error.invalid.pin', triesLeft: 4 })
    await expect(activate()).rejects.toMatchObject({ code: 'api.error.invalid.pin' })
    const account = await activate(pin)

    expect((await device.requests(account)).requests).toEqual([])
  })

  inFullRun('activation accepts a passcode however it is typed and rejects short and common ones', async () => {
    const passcodes = await startService({}, { keyType: 'PASSCODE' })
    try {
      const device = createDevice({ clock: passcodes.clock })
      const code = await newCode(passcodes)
      for (const refused of ['short', 'password', 'aaaaaaaa', 'abcdefgh', 'x'.repeat(65)]) {
        const tried = device.activate(passcodes.origin, code, { name: 'Test', pin: refused })
        await expect(tried).rejects.toMatchObject({ code: 'api.error.invalid.pin' })
      }
      const account = await device.activate(passcodes.origin, code, {
        name: 'Test',
        pin: 'grüne Äpfel'.normalize('NFD'),
      })
      const path = `/domains/${passcodes.domain.id}/sessions`
      await passcodes.call('POST', path, { body: { user: { username: account.user.username } } })
      const { requests } = await device.requests(account)

      const answered = await device.answer(account, requests![0]!, {
        decision: 'approve',
        pin: 'grüne Äpfel'.normalize('NFC'),
      })

      expect(answered.state).toBe('approved')
    } finally {
      await passcodes.close()
    }
  })

  it('the PIN encrypts the secret of offline codes: only the service can detect a wrong PIN', async () => {
    const device = createDevice({ clock: running.clock })
    const account = await device.activate(running.origin, await newCode(running), { name: 'Test', pin })
    const signIn = async (otp: string) =>
      (
        await running.call('POST', `/domains/${running.domain.id}/sessions`, {
          body: { user: { username: account.user.username }, otp },
        })
      ).json.state
    const now = running.clock.now()

    const [none, wrong, right] = [undefined, '9999', pin].map((typed) => currentCode(account, now, typed))

    expect(account.codeSecret).toBeUndefined()
    expect(await none).toBeUndefined()
    expect((await wrong)!.code).toMatch(/^\d{6}$/)
    expect(await signIn((await wrong)!.code)).toBe('denied')
    expect(await signIn((await right)!.code)).toBe('approved')
  })
})
