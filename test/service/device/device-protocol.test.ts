import { generateKeyPair } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../src/contract/device.ts'
import { createDeviceCalls, createDeviceSigner, previewCode, random128 } from '../../support/device-signer.ts'
import type { DeviceSigner } from '../../support/device-signer.ts'
import { newUser, read, startService, unknownId } from '../start-service.ts'
import type { Running } from '../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const outcome = async (response: Response) => {
  const { status, code } = await read(response)
  return [status, code]
}

let count = 0

/** A device with one request, and what it would answer honestly. */
async function asked(more: object = {}) {
  const enrolled = await running.enrol(`asked ${(count += 1)}`)
  const session = await enrolled.ask(more)
  const [request] = await enrolled.pending()
  const path = devicePaths.answer(session.id)
  return { ...enrolled, id: session.id, number: session.number, request: request!, nonce: request!.nonce, path }
}

/** A pending token, and somebody who knows its code. */
async function invited() {
  const { json: user } = await running.call('POST', '/users', { body: newUser(`invited ${(count += 1)}`) })
  const membership = `/domains/${running.domain.id}/users/${user.id}`
  await running.call('PUT', membership)
  const { json: token } = await running.call('PUT', `${membership}/token`)
  const code: string = token.code
  const newDevice = async () => {
    const previewed = await read(await previewCode(running.origin, code))
    const signer = await createDeviceSigner({ service: previewed.json.service, now: () => running.clock.now() })
    return { signer, previewed, ...createDeviceCalls(running.origin, signer) }
  }
  return { user, code, newDevice }
}

describe('a preview', () => {
  it('names what the code would join', async () => {
    const { user, newDevice } = await invited()

    const { previewed } = await newDevice()

    expect(previewed.json).toEqual({
      service: expect.stringMatching(/^[0-9a-f]{40}$/),
      organization: { name: running.organization.name },
      domain: { id: running.domain.id, name: 'Domain', keyType: 'NONE' },
      user: { username: user.username },
      pushKey: expect.stringMatching(/^B[\w-]{86}$/),
    })
    expect(previewed.headers.get('cache-control')).toBe('no-store')
  })

  it('reads a code without regard to case, blanks and hyphens', async () => {
    const { code } = await invited()
    const typed = ` ${code.slice(0, 5).toUpperCase()}-${code.slice(5)} `

    const response = await previewCode(running.origin, typed)

    expect(response.status).toBe(200)
  })

  it('knows nothing of a code that has expired', async () => {
    const { code } = await invited()
    await running.clock.advance(7 * 24 * 60 * 60)

    expect(await outcome(await previewCode(running.origin, code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('knows nothing of a code that is not there, and says so of one that cannot be', async () => {
    const preview = (code: string) => previewCode(running.origin, code)

    expect(await outcome(await preview('aaaaaaaaaa'))).toEqual([404, 'api.error.notfound.activationcode'])
    expect(await outcome(await preview('aaaaaaaaa1'))).toEqual([400, 'api.error.invalid.code'])
  })
})

describe('activating', () => {
  it('makes the token active and the device known', async () => {
    const { user, code, newDevice } = await invited()
    const { signer, activate, inbox } = await newDevice()

    const activated = await read(await activate(code))
    signer.id = activated.json.device
    const empty = await read(await inbox())

    expect(activated.json).toMatchObject({ domain: { id: running.domain.id }, user: { username: user.username } })
    expect(empty.json).toEqual({ requests: [] })
  })

  it('uses a code up once, however many devices try at once', async () => {
    const { code, newDevice } = await invited()
    const devices = await Promise.all(Array.from({ length: 64 }, newDevice))

    const outcomes = await Promise.all(devices.map(async ({ activate }) => outcome(await activate(code))))

    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([, code404]) => code404 === 'api.error.notfound.activationcode')).toHaveLength(63)
  })

  it('needs the signature of the very key it brings', async () => {
    const { code, newDevice } = await invited()
    const { signer, post } = await newDevice()
    const { privateKey: other } = await generateKeyPair('ES256')
    const call = { htm: 'POST', path: devicePaths.activate, code, name: 'x', key: signer.publicKey } as const

    const refused = await outcome(await post(devicePaths.activate, await signer.sign(call, other)))
    const taken = await outcome(await post(devicePaths.activate, await signer.sign(call)))

    expect([refused, taken]).toEqual([
      [401, 'api.error.unauthorized'],
      [200, undefined],
    ])
  })

  it('needs a point that is on the curve', async () => {
    const { code, newDevice } = await invited()
    const { signer, activate } = await newDevice()

    const answer = await outcome(await activate(code, { key: { ...signer.publicKey, x: 'A'.repeat(43) } }))

    expect(answer).toEqual([401, 'api.error.unauthorized'])
  })

  it('is not possible with a code that has expired', async () => {
    const { code, newDevice } = await invited()
    const { activate } = await newDevice()
    await running.clock.advance(7 * 24 * 60 * 60)

    expect(await outcome(await activate(code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('refuses a name that is none', async () => {
    const { code, newDevice } = await invited()
    const { activate } = await newDevice()

    expect(await outcome(await activate(code, { name: '' }))).toEqual([400, 'api.error.invalid.name'])
  })
})

describe('the inbox', () => {
  it('shows what the app reported, newest first, and never the number', async () => {
    const attributes = [{ key: 'Browser', value: 'Fire\u202Efox' }]
    const { ask, pending, number, device, request } = await asked({
      numberMatching: true,
      ipAddress: '192.0.2.7',
      attributes,
    })
    const second = await ask()

    const requests = await pending()
    const { text } = await read(await device.inbox())

    expect(requests.map(({ id }) => id)).toEqual([second.id, request.id])
    expect(requests[1]).toMatchObject({
      ipAddress: '192.0.2.7',
      attributes: [{ key: 'Browser', value: 'Firefox' }],
      numberLength: 2,
      domain: { name: 'Domain' },
    })
    expect(text).not.toContain(`"${number}"`)
  })

  it('is of this device alone', async () => {
    await asked()
    const other = await running.enrol('empty inbox')

    expect(await other.pending()).toEqual([])
  })
})

describe('an answer', () => {
  it.each([
    ['approve', 'approved', undefined],
    ['deny', 'denied', 'user_denied'],
    ['report', 'denied', 'reported'],
  ])('%s settles the session as %s', async (decision, state, reason) => {
    const { device, id, nonce, session } = await asked()

    const answered = await read(await device.answer(id, { nonce, decision }))

    expect(answered.json).toEqual({ id, state, ...(reason && { reason }) })
    expect(await session(id)).toMatchObject({ state, settledAt: running.clock.now() })
  })

  it('with the right number approves', async () => {
    const { device, id, nonce, number, session } = await asked({ numberMatching: true })

    await device.answer(id, { nonce, decision: 'approve', number })

    expect(await session(id)).toMatchObject({ state: 'approved', factor: 'push' })
  })

  it('with a wrong number denies for good', async () => {
    const { device, id, nonce, number, session } = await asked({ numberMatching: true })
    const wrong = number === '10' ? '11' : '10'

    const first = await read(await device.answer(id, { nonce, decision: 'approve', number: wrong }))
    const second = await outcome(await device.answer(id, { nonce, decision: 'approve', number }))

    expect(first.json).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect(second).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('denied')
  })

  it('without the number that is asked for leaves the session pending', async () => {
    const { device, id, nonce, session } = await asked({ numberMatching: true })

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([400, 'api.error.invalid.number'])
    expect((await session(id)).state).toBe('pending')
  })

  it('denies and reports without a number', async () => {
    const { device, id, nonce } = await asked({ numberMatching: true })

    expect((await device.answer(id, { nonce, decision: 'deny' })).status).toBe(200)
  })

  it('needs the nonce of its request, which is looked at before the number', async () => {
    const { device, id, session } = await asked({ numberMatching: true })

    const answer = await outcome(await device.answer(id, { nonce: random128(), decision: 'approve', number: '00' }))

    expect(answer).toEqual([400, 'api.error.invalid.nonce'])
    expect((await session(id)).state).toBe('pending')
  })

  it('sent again in a new call is heard again, and another one is too late', async () => {
    const { device, id, nonce, number } = await asked({ numberMatching: true })
    const answer = { nonce, decision: 'approve', number }
    const first = await read(await device.answer(id, answer))

    const again = await read(await device.answer(id, answer))
    const other = await outcome(await device.answer(id, { nonce, decision: 'deny' }))

    expect([again.status, again.json]).toEqual([200, first.json])
    expect(other).toEqual([409, 'api.error.conflict.state'])
  })

  it('comes too late once the session has expired', async () => {
    const { device, id, nonce, session } = await asked()
    await running.clock.advance(90)

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('expired')
  })

  it('comes too late once the session was cancelled', async () => {
    const { device, id, nonce, sessions, session } = await asked()
    await running.call('DELETE', `${sessions}/${id}`)

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('cancelled')
  })

  it('decides once, however many answers come at once', async () => {
    const { device, id, nonce, session } = await asked()
    const decisions = ['approve', 'deny', 'report']

    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const decision = decisions[index % 3]
        return { decision, ...(await read(await device.answer(id, { nonce, decision }))) }
      }),
    )

    const heard = answers.filter((answer) => answer.status === 200)
    expect(new Set(heard.map((answer) => answer.decision)).size).toBe(1)
    expect(answers.filter((answer) => answer.status !== 200).map((answer) => answer.code)).toEqual(
      Array.from({ length: 64 - heard.length }, () => 'api.error.conflict.state'),
    )
    expect((await session(id)).state).toBe(heard[0]?.json.state)
  })

  it('is not taken from the device of somebody else', async () => {
    const { id, nonce, session } = await asked()
    const other = await running.enrol(`other device ${(count += 1)}`)

    const answer = await outcome(await other.device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([404, 'api.error.notfound.session'])
    expect((await session(id)).state).toBe('pending')
  })

  it.each([
    [{ decision: 'approve' }, 'api.error.invalid.nonce'],
    [{ nonce: 'x', decision: 'approve' }, 'api.error.invalid.nonce'],
    [{ nonce: 'A'.repeat(22), decision: 'maybe' }, 'api.error.invalid.decision'],
    [{ nonce: 'A'.repeat(22), decision: 'approve', number: 47 }, 'api.error.invalid.number'],
  ])('is refused as %j', async (answer, code) => {
    const { device, id } = await asked()

    expect(await outcome(await device.answer(id, answer))).toEqual([400, code])
  })
})

describe('a call that is not what it seems', () => {
  type Target = Awaited<ReturnType<typeof asked>>
  type Forge = (target: Target, signer: DeviceSigner) => Promise<string>
  const approve = ({ nonce, path }: Target) => ({ htm: 'POST', path, nonce, decision: 'approve' }) as const
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  /** An honest call, with the first or last of its three parts replaced. */
  const reassembled = async (target: Target, { header, signature }: { header?: object; signature?: string }) => {
    const [first, payload, last] = (await target.signer.sign(approve(target))).split('.')
    return [header ? encode(header) : first, payload, signature ?? last].join('.')
  }

  const forgeries: [string, Forge, string][] = [
    [
      'signed with another key',
      async (target, signer) => signer.sign(approve(target), (await generateKeyPair('ES256')).privateKey),
      'api.error.unauthorized',
    ],
    [
      'signed by nobody (alg none)',
      (target) => reassembled(target, { header: { alg: 'none' }, signature: '' }),
      'api.error.unauthorized',
    ],
    ['whose signature was taken off', (target) => reassembled(target, { signature: '' }), 'api.error.unauthorized'],
    [
      'signed with the public key as a shared secret',
      (target, signer) => signer.sign(approve(target), Buffer.from(signer.publicKey.x) as never, { alg: 'HS256' }),
      'api.error.unauthorized',
    ],
    [
      'signed with the key it carries itself',
      async (target, signer) => {
        const own = await createDeviceSigner({ service: unknownId, now: () => running.clock.now() })
        return signer.sign(approve(target), own.privateKey, { alg: 'ES256', jwk: own.publicKey })
      },
      'api.error.unauthorized',
    ],
    [
      'signed for another path',
      (target, signer) => signer.sign({ ...approve(target), path: devicePaths.answer(unknownId) }),
      'api.error.unauthorized',
    ],
    [
      'signed for another method',
      (target, signer) => signer.sign({ ...approve(target), htm: 'GET' }),
      'api.error.unauthorized',
    ],
    [
      'signed for another service',
      (target, signer) => signer.sign({ ...approve(target), aud: unknownId }),
      'api.error.unauthorized',
    ],
    [
      'of a device that does not exist',
      (target, signer) => signer.sign({ ...approve(target), sub: unknownId }),
      'api.error.device.unknown',
    ],
    [
      'of no device',
      (target, signer) => signer.sign({ ...approve(target), sub: undefined }),
      'api.error.device.unknown',
    ],
    [
      'signed too long ago',
      (target, signer) => signer.sign({ ...approve(target), iat: running.clock.now() - 61 }),
      'api.error.device.clock',
    ],
    [
      'signed in the future',
      (target, signer) => signer.sign({ ...approve(target), iat: running.clock.now() + 61 }),
      'api.error.device.clock',
    ],
  ]

  it.each(forgeries)('%s is 401 and changes nothing', async (_what, forge, code) => {
    const target = await asked()

    const answer = await read(await target.device.post(target.path, await forge(target, target.signer)))

    expect([answer.status, answer.code]).toEqual([401, code])
    expect(answer.headers.get('www-authenticate')).toBe('Device')
    expect((await target.session(target.id)).state).toBe('pending')
  })

  it.each(['', 'x', 'a.b.c', '{}', '..', 'e30.e30.e30'])('is no call at all: %j', async (body) => {
    const { device, path } = await asked()

    expect([400, 401]).toContain((await device.post(path, body)).status)
  })

  it('with its clock a minute off is taken', async () => {
    const { device, id, nonce } = await asked()

    const response = await device.answer(id, { nonce, decision: 'deny' }, { iat: running.clock.now() - 60 })

    expect(response.status).toBe(200)
  })

  it('with its clock further off learns the right time, and only from a service it has signed for', async () => {
    const { device } = await asked()
    const iat = running.clock.now() - 3600

    const response = await device.inbox({}, { iat })
    const elsewhere = await device.inbox({}, { iat, aud: unknownId })

    expect(Date.parse(response.headers.get('date') ?? '') / 1000).toBe(running.clock.now())
    expect(await outcome(response)).toEqual([401, 'api.error.device.clock'])
    expect(await outcome(elsewhere)).toEqual([401, 'api.error.unauthorized'])
  })

  it('without a signature sees no inbox', async () => {
    const response = await fetch(running.origin + devicePaths.requests)

    expect(await outcome(response)).toEqual([401, 'api.error.unauthorized'])
  })
})

describe('a call that was recorded', () => {
  it('is acted on once, also when it is sent many times at once', async () => {
    const target = await asked()
    const jws = await target.signer.sign({
      htm: 'POST',
      path: target.path,
      nonce: target.nonce,
      decision: 'approve',
    })

    const outcomes = await Promise.all(
      Array.from({ length: 16 }, async () => outcome(await target.device.post(target.path, jws))),
    )

    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([, code]) => code === 'api.error.device.replayed')).toHaveLength(15)
  })

  it('is refused for as long as its signature is young enough, also when old ones were just cleared away', async () => {
    const fresh = await startService()
    const { ask, pending, device, signer } = await fresh.enrol('recorded')
    const betweenSweeps = 300
    await fresh.clock.advance(betweenSweeps - 120)
    const { id } = await ask()
    const path = devicePaths.answer(id)
    const content = { nonce: (await pending())[0]!.nonce, decision: 'approve', iat: fresh.clock.now() + 60 }
    const jws = await signer.sign({ htm: 'POST', path, ...content })
    await device.post(path, jws)

    await fresh.clock.advance(120)
    const young = await outcome(await device.post(path, jws))
    await fresh.clock.advance(1)
    const old = await outcome(await device.post(path, jws))
    await fresh.close()

    expect(young).toEqual([401, 'api.error.device.replayed'])
    expect(old).toEqual([401, 'api.error.device.clock'])
  })
})

describe('removing an account on the device', () => {
  it('revokes the token, cancels what is pending, and shuts the device out', async () => {
    const { user, device, id, session } = await asked()

    const removed = await device.remove()

    const token = await running.call('GET', `/domains/${running.domain.id}/users/${user.id}/token`)
    expect([removed.status, await removed.text()]).toEqual([200, ''])
    expect(token.code).toBe('api.error.notfound.token')
    expect((await session(id)).state).toBe('cancelled')
    expect(await outcome(await device.inbox())).toEqual([403, 'api.error.device.revoked'])
  })
})

describe('tries of activation codes', () => {
  let limited: Running

  beforeEach(async () => {
    limited = await startService({ limits: { triesPerAddress: 3, triesPerService: 5 } })
  })
  afterEach(() => limited.close())

  const guess = (headers: Record<string, string> = {}) => previewCode(limited.origin, 'aaaaaaaaaa', headers)

  it('are counted per address, also when they come at once, and given back after ten minutes', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, async () => read(await guess())))
    await limited.clock.advance(599)
    const early = await read(await guess())
    await limited.clock.advance(1)
    const later = await guess()

    expect(answers.filter((answer) => answer.status === 404)).toHaveLength(3)
    const refused = answers.filter((answer) => answer.status === 429)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.headers.get('retry-after')).toBe('600')
    expect([early.status, early.headers.get('retry-after'), early.code]).toEqual([
      429,
      '1',
      'api.error.toomanyrequests',
    ])
    expect(later.status).toBe(404)
  })

  it('are counted for the whole service, too', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 6; round += 1) {
      statuses.push((await guess()).status)
      await limited.clock.advance(600)
    }

    expect(statuses).toEqual([404, 404, 404, 404, 404, 429])
  })

  it('cannot be moved to another address by a header', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) {
      statuses.push((await guess({ 'x-forwarded-for': `192.0.2.${round}` })).status)
    }

    expect(statuses).toEqual([404, 404, 404, 429])
  })

  it('are also what activating takes', async () => {
    const signer = await createDeviceSigner({ service: await serviceIdOf(limited), now: () => limited.clock.now() })
    const { activate } = createDeviceCalls(limited.origin, signer)
    const statuses: number[] = []
    for (let round = 0; round < 3; round += 1) statuses.push((await activate('aaaaaaaaaa')).status)

    expect(statuses).toEqual([404, 404, 429])
  })

  it('cannot be used up by another web site', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, async () => outcome(await guess({ 'sec-fetch-site': 'cross-site' }))),
    )

    expect(new Set(responses.map((response) => response.join()))).toEqual(new Set(['403,api.error.forbidden']))
    expect((await guess({ 'sec-fetch-site': 'same-origin' })).status).toBe(404)
  })

  /** Costs one try. */
  async function serviceIdOf(service: Running): Promise<string> {
    const { json: user } = await service.call('POST', '/users', { body: newUser('somebody') })
    const membership = `/domains/${service.domain.id}/users/${user.id}`
    await service.call('PUT', membership)
    const { json: token } = await service.call('PUT', `${membership}/token`)
    const preview = await previewCode(service.origin, token.code)
    return (await read(preview)).json.service
  }
})
