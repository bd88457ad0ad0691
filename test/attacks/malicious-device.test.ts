import { createSign, generateKeyPairSync, sign as signBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../src/contract/device.ts'
import { newUser, read, startService, unknownId } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { createDeviceCalls, createDeviceSigner, random128 } from '../support/device-signer.ts'
import { inFullRun } from '../support/full-run.ts'
import type { Received } from '../support/quick-fetch.ts'
import { hasPollutedPrototypes } from './polluted.ts'

/** The attacker has a properly activated device, or a copy of the key of another user's device. */
let running: Running
let count = 0

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

async function personWithRequest(more: object = {}) {
  const person = await running.enroll(`owner ${(count += 1)}`)
  const session = await person.ask(more)
  const [request] = await person.pending()
  const path = devicePaths.answer(session.id)
  const approval = { htm: 'POST', path, nonce: request!.nonce, decision: 'approve' } as const
  return { ...person, id: session.id, number: session.number, nonce: request!.nonce, path, approval }
}

const outcome = async (response: Received) => {
  const { status, code } = await read(response)
  return [status, code]
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

type Target = Awaited<ReturnType<typeof personWithRequest>>

type Forgery = [string, (target: Target) => Promise<string>]

/** Builds a JWS by hand, with any header and any signing function. It is a call, unless the header says otherwise. */
async function handmade(target: Target, header: object | Buffer, sign: (input: string) => Buffer) {
  const [, payload] = (await target.signer.sign(target.approval)).split('.')
  const input = `${Buffer.isBuffer(header) ? header.toString('base64url') : base64url({ typ: 'device+jws', ...header })}.${payload}`
  return `${input}.${sign(input).toString('base64url')}`
}

/** An honest call whose signature is written in another way. */
async function reencoded(target: Target, rewrite: (signature: string) => string) {
  const [header, payload, signature = ''] = (await target.signer.sign(target.approval)).split('.')
  return [header, payload, rewrite(signature)].join('.')
}

/** The next character of base64url: it differs in the lowest bit, which the last character of 64 bytes does not use. */
function nextCharacter(character = 'A'): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet.charAt(alphabet.indexOf(character) ^ 1)
}

/** ECDSA with a key that is not the owner's, in the encoding of JWS. */
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const byForeigner = (input: string) =>
  signBytes('sha256', Buffer.from(input), { key: foreign.privateKey, dsaEncoding: 'ieee-p1363' })

/** Signs with the owner's key at a lower level than the library allows. */
async function byOwner(target: Target, encoding: 'ieee-p1363' | 'der') {
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', target.signer.privateKey))
  const key = { key: pkcs8, format: 'der', type: 'pkcs8', dsaEncoding: encoding } as const
  return (input: string) => createSign('sha256').update(input).sign(key)
}

describe('a forged answer', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const forgeries: Forgery[] = [
    [
      'that names the key by URL',
      (target) => handmade(target, { alg: 'ES256', jku: 'https://evil.example' }, byForeigner),
    ],
    ['that names a key by path', (target) => handmade(target, { alg: 'ES256', kid: '../../../dev/null' }, byForeigner)],
    ['with a certificate of its own', (target) => handmade(target, { alg: 'ES256', x5c: ['MIIB'] }, byForeigner)],
    [
      'signed with RSA',
      (target) =>
        handmade(target, { alg: 'RS256' }, (input) => signBytes('sha256', Buffer.from(input), rsa.privateKey)),
    ],
    ['with alg None', (target) => handmade(target, { alg: 'None' }, () => Buffer.alloc(0))],
    ['without any alg', (target) => handmade(target, {}, byForeigner)],
    ['with two algs', (target) => handmade(target, { alg: ['none', 'ES256'] }, byForeigner)],
    ['of zeros (CVE-2022-21449)', (target) => handmade(target, { alg: 'ES256' }, () => Buffer.alloc(64))],
    [
      'signed correctly, in the encoding of another standard',
      async (target) => handmade(target, { alg: 'ES256' }, await byOwner(target, 'der')),
    ],
    [
      'signed correctly, but claiming ES384',
      async (target) => handmade(target, { alg: 'ES384' }, await byOwner(target, 'ieee-p1363')),
    ],
    [
      'signed correctly, with an unencoded payload',
      async (target) =>
        handmade(target, { alg: 'ES256', b64: false, crit: ['b64'] }, await byOwner(target, 'ieee-p1363')),
    ],
    [
      'signed correctly, with a critical extension',
      async (target) => handmade(target, { alg: 'ES256', crit: ['exp'], exp: 1 }, await byOwner(target, 'ieee-p1363')),
    ],
    [
      'signed correctly, with an unencoded payload that is not marked as critical',
      async (target) => handmade(target, { alg: 'ES256', b64: false }, await byOwner(target, 'ieee-p1363')),
    ],
    ...['[]', 'null', '"ES256"', '{"alg":"ES256"', ''].map((header): Forgery => [
      `signed correctly, with the header ${header}`,
      async (target) => handmade(target, Buffer.from(header), await byOwner(target, 'ieee-p1363')),
    ]),
    ...[0, 32, 63].map((length): Forgery => [
      `signed correctly, with ${length} bytes of the signature`,
      (target) => reencoded(target, (part) => Buffer.from(part, 'base64url').subarray(0, length).toString('base64url')),
    ]),
    ['signed correctly, with a byte after the signature', (target) => reencoded(target, (part) => `${part}AA`)],
    ['signed correctly, with padding', (target) => reencoded(target, (part) => `${part}==`)],
    ['signed correctly, with a blank', (target) => reencoded(target, (part) => `${part.slice(0, 9)} ${part.slice(9)}`)],
    [
      'signed correctly, in the other alphabet of Base64',
      (target) => reencoded(target, (part) => `${Buffer.from(part, 'base64url').toString('base64').slice(0, -2)}=`),
    ],
    [
      'signed correctly, with bits that no byte uses',
      (target) => reencoded(target, (part) => part.slice(0, -1) + nextCharacter(part.at(-1))),
    ],
    [
      'as JSON',
      async (target) => {
        const [header, payload, signature] = (await target.signer.sign(target.approval)).split('.')
        return JSON.stringify({ protected: header, payload, signature })
      },
    ],
    ['in five parts', async (target) => `${await target.signer.sign(target.approval)}.a.b`],
    [
      'with another payload',
      async (target) => {
        const [header, payload = '', signature] = (
          await target.signer.sign({ ...target.approval, decision: 'deny' })
        ).split('.')
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
        return [header, base64url({ ...claims, decision: 'approve' }), signature].join('.')
      },
    ],
  ]

  it.each(forgeries)('a forged answer %s changes nothing', async (_what, forge) => {
    const target = await personWithRequest()

    const answer = await read(await target.device.post(target.path, await forge(target)))

    expect([400, 401]).toContain(answer.status)
    expect((await target.session(target.id)).state).toBe('pending')
  })

  it('a handmade answer with the right key and header is accepted, so the others failed for their own defects', async () => {
    const target = await personWithRequest()
    const jws = await handmade(target, { alg: 'ES256' }, await byOwner(target, 'ieee-p1363'))

    expect((await target.device.post(target.path, jws)).status).toBe(200)
  })
})

describe('a recorded and modified call', () => {
  /** The order of P-256 (FIPS 186-5): (r, n - s) is a signature wherever (r, s) is one. */
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

  function mirrored(jws: string): string {
    const [header, payload, signature = ''] = jws.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
    return [header, payload, Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url')].join('.')
  }

  it('a recorded call with another valid signature of the same content is still a replay', async () => {
    const { device, signer, approval, path, id, session } = await personWithRequest()
    const jws = await signer.sign({ ...approval, nonce: random128() })
    await device.post(path, jws)
    const good = await signer.sign({ ...approval, decision: 'deny' })
    await device.post(path, good)

    expect(await outcome(await device.post(path, mirrored(good)))).toEqual([401, 'api.error.device.replayed'])
    expect((await session(id)).state).toBe('denied')
  })

  it('a call with a reused id is rejected, whatever its content', async () => {
    const owner = await personWithRequest()
    const second = await owner.ask()
    const jti = random128()
    await owner.device.answer(owner.id, { nonce: owner.nonce, decision: 'deny' }, { jti })
    const [request] = await owner.pending()

    const answer = await outcome(
      await owner.device.answer(second.id, { nonce: request!.nonce, decision: 'approve' }, { jti }),
    )

    expect(answer).toEqual([401, 'api.error.device.replayed'])
    expect((await owner.session(second.id)).state).toBe('pending')
  })

  it('the id of a call does not block the same id for the device of another user', async () => {
    const [owner, stranger] = [await personWithRequest(), await personWithRequest()]
    const jti = random128()
    await stranger.device.answer(stranger.id, { nonce: stranger.nonce, decision: 'deny' }, { jti })

    const response = await owner.device.answer(owner.id, { nonce: owner.nonce, decision: 'approve' }, { jti })

    expect(response.status).toBe(200)
  })

  it('a call signed for reading cannot be used to answer, nor one signed for answering to read', async () => {
    const { device, signer, path, approval, id, session } = await personWithRequest()
    const reading = await signer.sign({ ...approval, htm: 'GET', path: devicePaths.requests })
    const answering = await signer.sign(approval)

    const written = await outcome(await device.post(path, reading))
    const response = await fetch(running.origin + devicePaths.requests, {
      headers: { authorization: `Device ${answering}` },
    })

    expect([written[0], response.status]).toEqual([401, 401])
    expect((await session(id)).state).toBe('pending')
  })
})

describe('ids of another user', () => {
  it('a device cannot settle another user’s sessions with its own signature', async () => {
    const [victim, mallory] = [await personWithRequest(), await personWithRequest()]
    const { signer, device } = mallory
    const tries = [
      { ...victim.approval },
      { ...victim.approval, nonce: mallory.nonce },
      { ...victim.approval, sub: victim.signer.id },
      { ...mallory.approval, path: victim.path },
    ]

    const answers: number[] = []
    for (const claims of tries) answers.push((await device.post(victim.path, await signer.sign(claims))).status)
    answers.push(
      (await device.post(mallory.path, await signer.sign({ ...mallory.approval, nonce: victim.nonce }))).status,
    )

    expect(answers).toEqual([404, 404, 401, 404, 400])
    expect((await victim.session(victim.id)).state).toBe('pending')
  })

  it('a device cannot claim the public key of another device', async () => {
    const victim = await personWithRequest()
    const { json: user } = await running.call('POST', '/users', { body: newUser(`thief ${(count += 1)}`) })
    const membership = `/domains/${running.domain.id}/users/${user.id}`
    await running.call('PUT', membership)
    const { code } = (await running.call('PUT', `${membership}/token`)).json
    const ownSigner = await createDeviceSigner({ service: victim.signer.id ?? '', now: () => running.clock.now() })

    const answer = await createDeviceCalls(running.origin, ownSigner).activate(code, { key: victim.signer.publicKey })

    expect((await outcome(answer))[0]).toBe(401)
  })

  it('a device cannot answer a request with values in members named like prototype properties', async () => {
    const { device, id, nonce, session, signer, path } = await personWithRequest()
    const payload = `{"aud":"${unknownId}","htm":"POST","path":"${path}","__proto__":{"nonce":"${nonce}","decision":"approve","polluted":1}}`
    const header = base64url({ alg: 'ES256', typ: 'device+jws' })
    const jws = `${header}.${Buffer.from(payload).toString('base64url')}.${(await signer.sign({ htm: 'POST', path })).split('.')[2]}`

    expect((await device.post(path, jws)).status).toBe(401)
    // Written as JSON text, so that it has a member of that name; signed by the owner of the device.
    const pollutedBody = JSON.parse(`{"__proto__":{"nonce":"${nonce}","decision":"approve"}}`) as object
    expect((await device.answer(id, pollutedBody)).status).toBe(400)
    expect((await session(id)).state).toBe('pending')
    expect(hasPollutedPrototypes()).toBe(false)
  })
})

describe('an attacker with the device who cannot see the number', () => {
  it('an attacker with the device who cannot see the number has one guess, even with many answers at once', async () => {
    const { device, id, nonce, number, session } = await personWithRequest({ numberMatching: true })
    const wrong = Array.from({ length: 90 }, (_, index) => String(index + 10)).filter((guess) => guess !== number)

    const answers = await Promise.all(
      wrong
        .slice(0, 40)
        .map(async (guess) => (await device.answer(id, { nonce, decision: 'approve', number: guess })).status),
    )
    const rightAnswer = await outcome(await device.answer(id, { nonce, decision: 'approve', number }))

    expect(answers.filter((status) => status === 200)).toHaveLength(1)
    expect(rightAnswer).toEqual([409, 'api.error.conflict.state'])
    expect(await session(id)).toMatchObject({ state: 'denied', reason: 'wrong_number' })
  })

  it('an attacker with the device has five number guesses in ten minutes, however often the owner’s password is used', async () => {
    const person = await running.enroll(`guessed ${(count += 1)}`)
    let guesses = 0
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { id, number } = await person.ask({ numberMatching: true, challenge: random128() })
      if (id === undefined) continue
      const [request] = await person.pending()
      const guess = number === '47' ? '48' : '47'
      await person.device.answer(id, { nonce: request!.nonce, decision: 'approve', number: guess })
      guesses += 1
    }

    expect(guesses).toBe(5)
  })

  inFullRun.each([
    '',
    '0',
    '00',
    ' 47',
    '４７',
    '47\u0000',
    '+47',
    '0x2f',
    '4'.repeat(13),
    ['47'],
    { length: 2 },
    true,
  ])('an attacker with the device does not pass with the number %j', async (number) => {
    const { device, id, nonce, session } = await personWithRequest({ numberMatching: true })

    await device.answer(id, { nonce, decision: 'approve', number })

    expect((await session(id)).state).not.toBe('approved')
  })
})

describe('a copied device key', () => {
  it('a copied device key is rejected as soon as the token is revoked, whatever call it held open or signed before', async () => {
    const { device, id, nonce, path, signer, user } = await personWithRequest()
    const earlierCall = await signer.sign({ htm: 'POST', path, nonce, decision: 'approve' })
    const etag = (await device.inbox()).headers.get('etag') ?? ''
    const held = device.inbox({ prefer: 'wait=60', 'if-none-match': etag })
    await running.call('DELETE', `/domains/${running.domain.id}/users/${user.id}/token`)

    expect((await outcome(await held))[1]).toBe('api.error.device.revoked')
    expect((await outcome(await device.post(path, earlierCall)))[0]).not.toBe(200)
    expect((await outcome(await device.inbox()))[1]).toBe('api.error.device.revoked')
    expect((await outcome(await device.answer(id, { nonce, decision: 'approve' })))[0]).not.toBe(200)
  })

  it('a copied device key and its original decide a request once in total', async () => {
    const { device, id, nonce, session } = await personWithRequest()

    const answers = await Promise.all([
      device.answer(id, { nonce, decision: 'deny' }),
      device.answer(id, { nonce, decision: 'approve' }),
    ])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const decided = answers[0]?.status === 200 ? 'denied' : 'approved'
    expect((await session(id)).state).toBe(decided)
  })
})

describe('the description that a device sends', () => {
  it('the name that a device sends brings no control characters into the log', async () => {
    const { json: user } = await running.call('POST', '/users', { body: newUser(`named ${(count += 1)}`) })
    const membership = `/domains/${running.domain.id}/users/${user.id}`
    await running.call('PUT', membership)
    const { code } = (await running.call('PUT', `${membership}/token`)).json
    const preview = await read(
      await fetch(`${running.origin}/device/preview`, { method: 'POST', body: JSON.stringify({ code }) }),
    )
    const signer = await createDeviceSigner({ service: preview.json.service, now: () => running.clock.now() })
    running.logged.length = 0

    const answer = await createDeviceCalls(running.origin, signer).activate(code, { name: 'a\u001b[31m\r\n\u202eb' })

    expect(answer.status).toBe(200)
    expect(JSON.stringify(running.logged)).not.toMatch(/\\u001b|\u202e/)
  })

  it('the description that a device sends is limited to the length of a name', async () => {
    const { json: user } = await running.call('POST', '/users', { body: newUser(`long ${(count += 1)}`) })
    const membership = `/domains/${running.domain.id}/users/${user.id}`
    await running.call('PUT', membership)
    const { code } = (await running.call('PUT', `${membership}/token`)).json
    const signer = await createDeviceSigner({ service: unknownId, now: () => running.clock.now() })

    const answer = await createDeviceCalls(running.origin, signer).activate(code, { name: 'x'.repeat(10_000) })

    expect(await outcome(answer)).toEqual([400, 'api.error.invalid.name'])
  })
})

describe('a device that knows the id of another user’s notice', () => {
  it('a device that knows the id of another user’s notice neither reads nor acknowledges it', async () => {
    const [alice, mallory] = [await personWithRequest(), await personWithRequest()]
    await running.call('POST', `/users/${alice.user.id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
    const noticesOf = async ({ device }: Pick<Target, 'device'>) => (await read(await device.inbox())).json.notices
    const [notice] = await noticesOf(alice)

    const answer = await mallory.device.acknowledge(notice.id)

    expect([answer.status, await noticesOf(mallory)]).toEqual([200, undefined])
    expect(await noticesOf(alice)).toEqual([notice])
  })

  it('a device cannot acknowledge a notice by replaying its owner’s call for another notice', async () => {
    const alice = await personWithRequest()
    const makeCode = () =>
      running.call('POST', `/users/${alice.user.id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
    await makeCode()
    await makeCode()
    const [newer, older] = (await read(await alice.device.inbox())).json.notices
    const jws = await alice.signer.sign({ htm: 'POST', path: devicePaths.acknowledge(older.id) })

    const answers = [
      await alice.device.post(devicePaths.acknowledge(newer.id), jws),
      await alice.device.post(devicePaths.acknowledge(older.id), jws),
      await alice.device.post(devicePaths.acknowledge(older.id), jws),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401])
    expect((await read(await alice.device.inbox())).json.notices).toEqual([newer])
  })
})
