import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { Approval } from '../../src/contract/approvals.ts'
import { approvalChallenge } from '../../src/client/proofs/passkey-answer.ts'

/** Proofs as a service and its devices make them, by keys of this file: each part can be made wrong. */
export interface DeviceLies {
  /** Members that the content has in place of the true ones; a text is used as it is. */
  readonly content?: object | string
  readonly answerHeader?: object | string
  readonly answer?: object | string
  readonly answerKey?: KeyObject
  readonly receiptHeader?: object | string
  readonly receipt?: object | string
  readonly receiptKey?: KeyObject
}

export interface PasskeyLies {
  readonly content?: object | string
  readonly answer?: object
  readonly clientData?: object | string
  readonly rpId?: string
  /** The flags of the authenticator data. */
  readonly flags?: number
  readonly receipt?: object
  /** What the passkey signs with; by default the key of the receipt. */
  readonly signedWith?: KeyObject
}

type Pair = ReturnType<typeof newPair>

const newId = () => randomBytes(20).toString('hex')
const newPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')
const asText = (value: object | string) => (typeof value === 'string' ? value : JSON.stringify(value))
const over = (truth: object, lies: object | string | undefined) =>
  typeof lies === 'string' ? lies : { ...truth, ...lies }

/** A public key without members that say more than the key. */
export const jwkOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' })

/** A compact JWS by ES256, whatever its header says. */
export function signJws(header: object | string, payload: object | string, key: KeyObject): string {
  const signed = `${base64url(asText(header))}.${base64url(asText(payload))}`
  return `${signed}.${base64url(sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }))}`
}

/** A JWS whose secret is the text of a public key: the confusion of algorithms (RFC 8725 section 2.1). */
export function signByHmac(header: object, payload: object | string, secret: string): string {
  const signed = `${base64url(asText(header))}.${base64url(asText(payload))}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

export function createProofMaker() {
  const servicePair = newPair()
  const devicePair = newPair()
  const ids = { service: newId(), domain: newId(), approval: newId(), device: newId(), passkey: newId() }
  const alice = { id: newId(), username: 'alice' }
  const trust = { keys: [{ ...jwkOf(servicePair), kid: 'k1', alg: 'ES256', use: 'sig' }] }
  const at = 1_800_000_000

  const content = (lies?: object | string) =>
    asText(
      over(
        {
          approval: ids.approval,
          app: { id: ids.domain, name: 'Bank' },
          requester: { kind: 'self', name: 'alice' },
          title: 'Transfer €250.00',
          details: [{ label: 'To', value: 'DE02 1203 0000 0000 2020 51' }],
          needed: 1,
          createdAt: at - 60,
          expiresAt: at + 240,
        },
        lies,
      ),
    )

  function receiptFor(answer: string, claims: object, { receiptHeader, receipt, receiptKey }: DeviceLies): string {
    const header = over({ alg: 'ES256', typ: 'approval-receipt+jws', kid: 'k1' }, receiptHeader)
    const truth = {
      iss: ids.service,
      iat: at,
      approval: ids.approval,
      domain: ids.domain,
      user: alice,
      decision: 'approve',
      answer: base64url(sha256(answer)),
      ...claims,
    }
    return signJws(header, over(truth, receipt), receiptKey ?? servicePair.privateKey)
  }

  const deviceClaims = (key: Pair) => ({
    shownBy: 'device',
    device: ids.device,
    key: jwkOf(key),
    numberMatched: true,
    pinVerified: false,
  })

  const answerClaims = (lies: DeviceLies) =>
    over(
      {
        aud: ids.service,
        sub: ids.device,
        approval: ids.approval,
        content: content(lies.content),
        decision: 'approve',
        nonce: Buffer.alloc(16, 1).toString('base64url'),
        iat: at - 1,
      },
      lies.answer,
    )

  function byDevice(lies: DeviceLies = {}) {
    const header = over({ alg: 'ES256', typ: 'approval+jws' }, lies.answerHeader)
    const answer = signJws(header, answerClaims(lies), lies.answerKey ?? devicePair.privateKey)
    return { answer, receipt: receiptFor(answer, deviceClaims(devicePair), lies) }
  }

  function byPasskey(pair: { publicKey: KeyObject; privateKey: KeyObject } = newPair(), lies: PasskeyLies = {}) {
    const parts = { approval: ids.approval, content: content(lies.content), nonce: base64url(Buffer.alloc(32, 2)) }
    const clientData = asText(
      over(
        { type: 'webauthn.get', challenge: approvalChallenge(parts), origin: 'https://bank.example' },
        lies.clientData,
      ),
    )
    const data = Buffer.concat([sha256(lies.rpId ?? 'bank.example'), Buffer.from([lies.flags ?? 5]), Buffer.alloc(4)])
    const signed = Buffer.concat([data, sha256(clientData)])
    const key = lies.signedWith ?? pair.privateKey
    const answer = asText({
      ...parts,
      credentialId: base64url('credential'),
      authenticatorData: base64url(data),
      clientData: base64url(clientData),
      signature: base64url(sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key)),
      ...lies.answer,
    })
    const claims = { passkey: ids.passkey, key: jwkOf(pair), rpId: 'bank.example', userVerified: true }
    const { receipt } = lies
    return { answer, receipt: receiptFor(answer, { shownBy: 'app', ...claims }, receipt ? { receipt } : {}) }
  }

  /** An approval of several people. @param usernames Those who answer. */
  function approval(usernames: readonly string[], lies: object = {}, own: DeviceLies = {}): Approval {
    const text = content(lies)
    const approvers = usernames.map((username, index) => {
      const user = { id: sha256(username).subarray(0, 20).toString('hex'), username }
      const receipt = { user, iat: at + index, ...(typeof own.receipt === 'object' && own.receipt) }
      return { user, decision: 'approve' as const, answeredAt: at, proof: byDevice({ content: text, ...own, receipt }) }
    })
    const digest = sha256(text).toString('hex')
    const times = { createdAt: at - 60, expiresAt: at + 240, settledAt: at }
    return { id: ids.approval, state: 'approved', content: text, digest, needed: 1, approvers, ...times }
  }

  return {
    ids,
    alice,
    at,
    trust,
    servicePair,
    devicePair,
    content,
    answerClaims,
    receiptFor,
    deviceClaims,
    byDevice,
    byPasskey,
    approval,
  }
}
