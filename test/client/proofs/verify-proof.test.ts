import { createHash, generateKeyPairSync } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import type { ProofFault, ProofOptions } from '../../../src/client/index.ts'
import { ProofError, verifyProof } from '../../../src/client/index.ts'
import type { Proof } from '../../../src/contract/approvals.ts'
import { inFullRun } from '../../support/full-run.ts'
import { createProofMaker, jwkOf, signByHmac } from '../../support/made-proofs.ts'
import type { DeviceLies, PasskeyLies } from '../../support/made-proofs.ts'

const make = createProofMaker()
const { trust, ids, at } = make
const other = createProofMaker()
const elsewhere = '0'.repeat(40)
const encoded = (text: string) => Buffer.from(text).toString('base64url')
const decoded = (text = '') => Buffer.from(text, 'base64url').toString()

function faultOf(proof: Proof, options: ProofOptions = { trust }): ProofFault | undefined {
  try {
    verifyProof(proof, options)
    return undefined
  } catch (error) {
    if (error instanceof ProofError) return error.fault
    throw error
  }
}

describe('verifyProof()', () => {
  it('verifyProof() returns what a person approved on a device, and when', () => {
    const verified = verifyProof(make.byDevice(), { trust, service: ids.service, now: at })

    expect(verified).toEqual({
      approval: ids.approval,
      content: JSON.parse(make.content()) as object,
      digest: createHash('sha256').update(make.content()).digest('hex'),
      decision: 'approve',
      user: make.alice,
      domain: ids.domain,
      service: ids.service,
      at,
      shownBy: 'device',
      device: ids.device,
      numberMatched: true,
      pinVerified: false,
    })
  })

  it('verifyProof() returns the decision of a person who denied', () => {
    const denied = make.byDevice({ answer: { decision: 'deny' }, receipt: { decision: 'deny' } })

    expect(verifyProof(denied, { trust }).decision).toBe('deny')
  })

  it.each<[string, DeviceLies, ProofFault]>([
    ['a receipt with the type of an answer', { receiptHeader: { typ: 'approval+jws' } }, 'receipt.header'],
    ['a receipt without a type', { receiptHeader: { alg: 'ES256', typ: undefined } }, 'receipt.header'],
    ['a receipt whose header names no algorithm', { receiptHeader: { alg: 'none' } }, 'receipt.header'],
    ['a receipt whose header names another algorithm', { receiptHeader: { alg: 'HS256' } }, 'receipt.header'],
    [
      'a receipt whose header has a key of its own',
      { receiptHeader: { jwk: jwkOf(other.servicePair) } },
      'receipt.header',
    ],
    [
      'a receipt whose header has unknown extensions',
      { receiptHeader: { crit: ['b64'], b64: false } },
      'receipt.header',
    ],
    [
      'a receipt whose header has a member twice',
      { receiptHeader: '{"alg":"ES256","typ":"x","typ":"approval-receipt+jws","kid":"k1"}' },
      'receipt.header',
    ],
    ['a receipt of an unknown key', { receiptHeader: { kid: 'k2' } }, 'receipt.key'],
    ['a receipt that another key has signed', { receiptKey: other.servicePair.privateKey }, 'receipt.signature'],
    ['a receipt with an unknown member', { receipt: { nbf: at } }, 'receipt.claims'],
    ['a receipt without a user', { receipt: { user: undefined } }, 'receipt.claims'],
    ['a receipt for another answer', { receipt: { answer: encoded('x'.repeat(32)) } }, 'answer.digest'],
    ['an answer with the type of a device call', { answerHeader: { typ: 'device+jws' } }, 'answer.header'],
    ['an answer with the type of a receipt', { answerHeader: { typ: 'approval-receipt+jws' } }, 'answer.header'],
    ['an answer whose header names no algorithm', { answerHeader: { alg: 'none' } }, 'answer.header'],
    ['an answer whose header has a member too many', { answerHeader: { kid: ids.device } }, 'answer.header'],
    ['an answer that another device has signed', { answerKey: other.devicePair.privateKey }, 'answer.signature'],
    ['an answer with an unknown member', { answer: { number: '42' } }, 'answer.claims'],
    ['an answer to another approval', { answer: { approval: elsewhere } }, 'answer.approval'],
    ['an answer for another service', { answer: { aud: elsewhere } }, 'answer.service'],
    ['an answer of a device with another id', { answer: { sub: elsewhere } }, 'answer.device'],
    ['a denial whose receipt says approved', { answer: { decision: 'deny' } }, 'answer.decision'],
    ['an approval whose receipt says reported', { receipt: { decision: 'report' } }, 'answer.decision'],
    ['content with an unknown member', { content: { amount: '9' } }, 'content.malformed'],
    ['content that is not JSON', { content: 'Transfer €250.00' }, 'content.malformed'],
    ['content with a title too long', { content: { title: 'x'.repeat(121) } }, 'content.malformed'],
    [
      'content with a member twice',
      { content: make.content().replace('{', '{"title":"Transfer €1.00",') },
      'content.malformed',
    ],
    [
      'content with an escaped member twice',
      { content: make.content().replace('{', String.raw`{"t\u0069tle":"Transfer €1.00",`) },
      'content.malformed',
    ],
    ['content with half a character', { content: { title: '\ud800' } }, 'content.malformed'],
    ['content of another approval', { content: { approval: elsewhere } }, 'content.approval'],
    ['content of another app', { content: { app: { id: elsewhere, name: 'Bank' } } }, 'content.app'],
    ['a receipt after the content has expired', { content: { expiresAt: at - 1 } }, 'content.time'],
    ['a receipt before the content was made', { content: { createdAt: at + 61 } }, 'content.time'],
  ])('verifyProof() rejects %s', (_, lies, fault) => {
    expect(faultOf(make.byDevice(lies))).toBe(fault)
  })

  it('verifyProof() accepts an answer in the last second before its content expires', () => {
    expect(faultOf(make.byDevice({ content: { expiresAt: at } }))).toBeUndefined()
  })

  it('verifyProof() rejects content with a lone surrogate beside its members', () => {
    // In the text itself, as JSON.parse() accepts it: JSON.stringify() would have escaped it.
    const text = make.content().replace('Bank', 'Bank\ud800')
    const claims = JSON.stringify(make.answerClaims({})).replace(JSON.stringify(make.content()), JSON.stringify(text))

    expect(faultOf(make.byDevice({ answer: claims }))).toBe('content.malformed')
  })

  it('verifyProof() rejects an answer that has been recombined with the receipt of another one', () => {
    const [one, two] = [make.byDevice(), make.byDevice({ content: { title: 'Transfer €9,250.00' } })]

    expect(faultOf({ answer: two.answer, receipt: one.receipt })).toBe('answer.digest')
  })

  it('verifyProof() rejects a receipt in the place of an answer, and an answer in that of a receipt', () => {
    const { answer, receipt } = make.byDevice()

    expect(faultOf({ answer: receipt, receipt })).toBe('answer.digest')
    expect(faultOf({ answer, receipt: answer })).toBe('receipt.header')
  })

  it.each<[string, (text: string) => string]>([
    ['without its last character', (text) => text.slice(0, -1)],
    ['without its signature', (text) => text.slice(0, text.lastIndexOf('.'))],
    ['with an empty signature', (text) => text.slice(0, text.lastIndexOf('.') + 1)],
    ['with a fourth part', (text) => `${text}.AAAA`],
    ['with padding', (text) => `${text}==`],
    ['with a space after it', (text) => `${text} `],
    ['with bits after its end that count for nothing', (text) => text.slice(0, -1) + nextCharacter(text.at(-1))],
  ])('verifyProof() rejects a receipt %s', (_, change) => {
    const { answer, receipt } = make.byDevice()

    expect(['receipt.malformed', 'receipt.signature']).toContain(faultOf({ answer, receipt: change(receipt) }))
  })

  it('verifyProof() rejects an answer that is written in another way, even with a receipt for it', () => {
    const { answer } = make.byDevice()
    const rewritten = answer.slice(0, -1) + nextCharacter(answer.at(-1))
    const receipt = make.receiptFor(rewritten, make.deviceClaims(make.devicePair), {})

    expect(Buffer.from(rewritten, 'base64url')).toEqual(Buffer.from(answer, 'base64url'))
    expect(faultOf({ answer: rewritten, receipt })).toBe('answer.malformed')
  })

  it('verifyProof() rejects an answer whose bytes are not UTF-8', () => {
    const [header, , signature] = make.byDevice().answer.split('.')
    const answer = `${header}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${signature}`
    const receipt = make.receiptFor(answer, make.deviceClaims(make.devicePair), {})

    expect(faultOf({ answer, receipt })).toBe('answer.malformed')
  })

  it('verifyProof() rejects changed claims under the signature of the true ones', () => {
    const { answer, receipt } = make.byDevice()
    const [header, payload, signature] = receipt.split('.')
    const changed = encoded(decoded(payload).replace('"alice"', '"mallory"'))

    expect(faultOf({ answer, receipt: `${header}.${changed}.${signature}` })).toBe('receipt.signature')
  })

  it('verifyProof() rejects a receipt that was signed with the text of a trusted key as a secret', () => {
    const { answer, receipt } = make.byDevice()
    const claims = decoded(receipt.split('.')[1])
    const secret = JSON.stringify(trust.keys[0])

    for (const alg of ['HS256', 'ES256']) {
      const forged = signByHmac({ alg, typ: 'approval-receipt+jws', kid: 'k1' }, claims, secret)
      expect(faultOf({ answer, receipt: forged })).toMatch(/^receipt\.(header|signature)$/)
    }
  })

  it('verifyProof() rejects members twice in signed claims', () => {
    const twice = (claims: object, member: string) => JSON.stringify(claims).replace('{', `{${member},`)
    const receipt = JSON.parse(decoded(make.byDevice().receipt.split('.')[1])) as object

    expect(faultOf(make.byDevice({ answer: twice(make.answerClaims({}), '"decision":"deny"') }))).toBe('answer.claims')
    expect(faultOf(make.byDevice({ receipt: twice(receipt, '"iat":1') }))).toBe('receipt.claims')
  })

  it('verifyProof() rejects a member named __proto__', () => {
    const withPrototype = make.content().replace('{', '{"__proto__":{},')

    expect(faultOf(make.byDevice({ content: withPrototype }))).toBe('content.malformed')
  })

  it('verifyProof() rejects a key beside the curve', () => {
    const { answer } = make.byDevice()
    const key = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }
    const receipt = make.receiptFor(answer, { ...make.deviceClaims(make.devicePair), key }, {})

    expect(faultOf({ answer, receipt })).toBe('answer.signature')
  })

  it('verifyProof() rejects the receipt of another service whose key is trusted, where one is named', () => {
    expect(faultOf(make.byDevice(), { trust, service: elsewhere })).toBe('receipt.service')
  })

  it('verifyProof() rejects a receipt from the future, where the time is given', () => {
    expect(faultOf(make.byDevice(), { trust, now: at - 1 })).toBe('receipt.future')
  })

  it.each([undefined, null, 'text', {}, { answer: 'a' }, { answer: 1, receipt: 2 }])(
    'verifyProof() rejects %j in the place of a proof',
    (value: unknown) => {
      expect(faultOf(value as Proof)).toBe('proof.malformed')
    },
  )

  inFullRun('verifyProof() survives headers nested a million times', () => {
    const deep = encoded(`${'['.repeat(1e6)}${']'.repeat(1e6)}`)

    expect(faultOf({ answer: 'a', receipt: `${deep}.e30.AA` })).toBe('receipt.header')
  })

  it.each([
    ['no keys', { keys: [] }],
    ['a key of another kind', { keys: [{ kty: 'oct', k: 'AA', kid: 'k1' }] }],
    ['a key without an id', { keys: [jwkOf(make.servicePair)] }],
    ['two keys with one id', { keys: [...trust.keys, ...other.trust.keys] }],
  ])('verifyProof() throws a TypeError for trust with %s', (_, wrong) => {
    expect(() => verifyProof(make.byDevice(), { trust: wrong })).toThrow(TypeError)
  })

  it('verifyProof() quotes nothing of the proof in its error', () => {
    const { answer, receipt } = make.byDevice({ content: { secret: 'hunter2' } })

    expect(() => verifyProof({ answer, receipt }, { trust })).toThrow(
      /^The content has missing, unknown or invalid members\.$/,
    )
  })
})

describe('verifyProof() of a passkey', () => {
  const pairs = {
    ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    EdDSA: () => generateKeyPairSync('ed25519'),
    RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }

  it.each(['ES256', 'EdDSA', 'RS256'] as const)('verifyProof() verifies a passkey with %s', (algorithm) => {
    const pair = pairs[algorithm]()

    expect(verifyProof(make.byPasskey(pair), { trust })).toMatchObject({
      decision: 'approve',
      shownBy: 'app',
      passkey: ids.passkey,
      userVerified: true,
      content: { title: 'Transfer €250.00' },
    })
    expect(faultOf(make.byPasskey(pair, { signedWith: pairs[algorithm]().privateKey }))).toBe('answer.signature')
  })

  const challengeOfSignIn = Buffer.alloc(32, 9).toString('base64url')

  it.each<[string, PasskeyLies, ProofFault]>([
    ['that registered', { clientData: { type: 'webauthn.create' } }, 'passkey.ceremony'],
    ['that paid', { clientData: { type: 'payment.get' } }, 'passkey.ceremony'],
    ['whose client data is not JSON', { clientData: 'x' }, 'passkey.ceremony'],
    ['that signed in', { clientData: { challenge: challengeOfSignIn } }, 'passkey.challenge'],
    ['with the nonce of another approval', { answer: { nonce: challengeOfSignIn } }, 'passkey.challenge'],
    [
      'with other content than it has signed',
      { answer: { content: make.content({ title: 'x' }) } },
      'passkey.challenge',
    ],
    ['for another site', { rpId: 'evil.example' }, 'passkey.relyingparty'],
    ['without a person present', { flags: 4 }, 'passkey.presence'],
    ['without verification that its receipt claims', { flags: 1 }, 'passkey.verification'],
    ['with a denial', { receipt: { decision: 'deny' } }, 'answer.decision'],
    ['with the answer to another approval', { answer: { approval: elsewhere } }, 'answer.approval'],
    ['with an unknown member', { answer: { decision: 'approve' } }, 'answer.malformed'],
    ['with authenticator data that are too short', { answer: { authenticatorData: 'AAAA' } }, 'answer.malformed'],
    ['with content of another approval', { content: { approval: elsewhere } }, 'content.approval'],
    ['with content that had expired', { content: { expiresAt: at - 1 } }, 'content.time'],
  ])('verifyProof() rejects the answer of a passkey %s', (_, lies, fault) => {
    expect(faultOf(make.byPasskey(undefined, lies))).toBe(fault)
  })

  it('verifyProof() rejects the answer of a device with the receipt for a passkey', () => {
    const { answer } = make.byDevice()
    const claims = {
      shownBy: 'app',
      passkey: ids.passkey,
      key: jwkOf(make.devicePair),
      rpId: 'a.example',
      userVerified: true,
    }

    expect(faultOf({ answer, receipt: make.receiptFor(answer, claims, {}) })).toBe('answer.malformed')
  })

  it('verifyProof() rejects the answer of a passkey with the receipt for a device', () => {
    const { answer } = make.byPasskey()

    expect(faultOf({ answer, receipt: make.receiptFor(answer, make.deviceClaims(make.devicePair), {}) })).toBe(
      'answer.malformed',
    )
  })

  it('verifyProof() rejects a signature in base64url that is written in another way', () => {
    const pair = pairs.EdDSA()
    const { signature } = JSON.parse(make.byPasskey(pair).answer) as { signature: string }
    const rewritten = signature.slice(0, -1) + nextCharacter(signature.at(-1))

    expect(faultOf(make.byPasskey(pair, { answer: { signature: rewritten } }))).toBe('answer.malformed')
  })
})

/** The next character of the alphabet: where it is the last one of a text, the added bits count for nothing. */
function nextCharacter(character = ''): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(character) + 1] ?? ''
}
