import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'better-sqlite3'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { proofTypes } from '../../src/contract/approval-proof.ts'
import { devicePaths } from '../../src/contract/device.ts'
import type { DeviceApproval } from '../../src/contract/device-answers.ts'
import { random128 } from '../support/device-signer.ts'
import { startService, unknownId } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { approvalsOf, approver } from '../service/features/approvals/approving.ts'
import type { Approver, Different } from '../service/features/approvals/approving.ts'

let running: Running
let app: ReturnType<typeof approvalsOf>
let anna: Approver

beforeAll(async () => {
  running = await startService()
  app = approvalsOf(running)
})
afterAll(() => running.close())
beforeEach(async () => {
  anna = await approver(running)
})

async function asked(more: object = {}) {
  const { json } = await app.ask({ user: { id: anna.id }, ...more })
  const shown = (await anna.waiting()).find(({ id }) => id === json.id)
  return shown!
}

const stateOf = async (id: string) => (await app.get(id)).state

describe('a forged answer to an approval', () => {
  const changed = (content: string) => content.replace('€250.00', '€950.00')
  const forgeries: [string, (shown: DeviceApproval) => Different][] = [
    ['with another content', ({ content }) => ({ claims: { content: changed(content) } })],
    ['for another approval', () => ({ claims: { approval: unknownId } })],
    ['for another service', () => ({ claims: { aud: unknownId } })],
    ['of another device', () => ({ claims: { sub: unknownId } })],
    ['with another nonce', () => ({ claims: { nonce: random128() } })],
    ['with a decision that does not exist', () => ({ claims: { decision: 'approve twice' } })],
    ['with a member that no device shows', () => ({ claims: { also: 'send €1,000' } })],
    ['that is signed as a call', () => ({ header: { alg: 'ES256', typ: 'device+jws' } })],
    ['that is signed as a receipt', () => ({ header: { alg: 'ES256', typ: proofTypes.receipt } })],
  ]

  it.each(forgeries)('an answer to an approval %s is refused and changes nothing', async (_what, differ) => {
    const shown = await asked()

    const answer = await anna.answer(shown, 'approve', differ(shown))

    expect(answer.status).toBe(400)
    expect(await stateOf(shown.id)).toBe('pending')
  })

  it('an answer to an approval that another device signed is refused', async () => {
    const ben = await approver(running)
    const shown = await asked()
    const proof = await ben.proofOf(shown, 'approve', { claims: { sub: anna.signer.id } })

    expect((await anna.send(shown.id, { proof })).code).toBe('api.error.invalid.proof')
    expect(await stateOf(shown.id)).toBe('pending')
  })

  it('an answer to one approval is no answer to another one with the same content', async () => {
    const [first, second] = [await asked(), await asked()]
    const proof = await anna.proofOf(first, 'approve')

    expect((await anna.send(second.id, { proof })).code).toBe('api.error.invalid.proof')
    expect(await stateOf(second.id)).toBe('pending')
  })

  it('a recorded call is accepted once, and its proof in a new call changes nothing', async () => {
    const shown = await asked()
    const proof = await anna.proofOf(shown, 'deny')
    await anna.send(shown.id, { proof })

    const other = await anna.proofOf(shown, 'approve')
    expect((await anna.send(shown.id, { proof: other })).status).toBe(409)
    expect(await stateOf(shown.id)).toBe('denied')
  })

  it.each(['', 'x', 'a.b', 'a.b.c.d', `${'A'.repeat(40)}.${'B'.repeat(40)}.`])(
    'a proof that is no signature is refused: %s',
    async (proof) => {
      const shown = await asked()

      expect((await anna.send(shown.id, { proof })).code).toBe('api.error.invalid.proof')
    },
  )
})

describe('an approval and a sign-in', () => {
  it('the answer to a sign-in request approves no action', async () => {
    const shown = await asked()
    const path = devicePaths.answer(shown.id)

    const answer = await anna.device.call(path, { nonce: shown.nonce, decision: 'approve' })

    expect(answer.status).toBe(404)
    expect(await stateOf(shown.id)).toBe('pending')
  })

  it('the answer to an approval signs nobody in', async () => {
    const { json: session } = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { id: anna.id } },
    })
    const [request] = await anna.pending()
    const proof = await anna.proofOf({ ...request!, content: '{}' }, 'approve')

    const answer = await anna.send(session.id, { proof })

    expect(answer.status).toBe(404)
    expect((await anna.pending()).map(({ id }) => id)).toEqual([session.id])
  })

  it('an approved action redeems no session, and an approved session redeems no action', async () => {
    const challenge = random128()
    const shown = await asked({ challenge })
    await anna.answer(shown, 'approve')
    const sessions = `/domains/${running.domain.id}/sessions`

    expect((await running.call('POST', `${sessions}/${shown.id}/redeem`, { body: { challenge } })).status).toBe(404)
    const { json: session } = await running.call('POST', sessions, { body: { user: { id: anna.id }, challenge } })
    const [request] = await anna.pending()
    await anna.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve' })
    expect((await app.redeem(session.id, challenge)).status).toBe(404)
  })
})

describe('somebody who is not asked', () => {
  it('a person sees no approval of another person, and cannot answer it', async () => {
    const ben = await approver(running)
    const shown = await asked()

    expect(await ben.waiting()).toEqual([])
    expect((await ben.answer(shown, 'approve')).code).toBe('api.error.notfound.approval')
    expect(await stateOf(shown.id)).toBe('pending')
  })

  it('the same person in another app cannot answer it there', async () => {
    const other = await running.service.administration.createDomain(running.organization.id, { name: 'Other' })
    const there = await approver(running, other.id)
    const shown = await asked()

    expect((await there.answer(shown, 'approve')).code).toBe('api.error.notfound.approval')
  })
})

describe('an approver who leaves, or whose device does', () => {
  it('a removed device cannot approve', async () => {
    const shown = await asked()
    await running.call('DELETE', `/domains/${running.domain.id}/users/${anna.id}/token`)

    expect((await anna.answer(shown, 'approve')).status).toBe(403)
    expect(await stateOf(shown.id)).toBe('pending')
  })

  it('a proof stays what it was when its device is removed', async () => {
    const shown = await asked()
    await anna.answer(shown, 'approve')
    const before = await app.get(shown.id)
    await running.call('DELETE', `/domains/${running.domain.id}/users/${anna.id}/token`)

    expect((await app.get(shown.id)).approvers).toEqual(before.approvers)
  })
})

describe('the last moment', () => {
  it('an answer in the second in which an approval expires is too late', async () => {
    const shown = await asked({ expiresIn: 30 })
    running.clock.skip(30)

    expect((await anna.answer(shown, 'approve')).code).toBe('api.error.conflict.state')
    expect(await stateOf(shown.id)).toBe('expired')
  })

  it('the receipt has the time of the service, whatever the clock of the device says', async () => {
    const shown = await asked()
    await anna.answer(shown, 'approve', { claims: { iat: 1 } })

    const { approvers } = await app.get(shown.id)
    expect(decodeJwt(approvers[0]!.proof!.receipt).iat).toBe(running.clock.now())
  })

  it('of approvals and denials at once, one decides and is final', async () => {
    const shown = await asked()

    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => anna.answer(shown, index % 2 === 0 ? 'approve' : 'deny')),
    )

    const state = await stateOf(shown.id)
    const accepted = answers.filter(({ status }) => status === 200)
    expect([...new Set(accepted.map(({ json }) => json.state))]).toEqual([state])
  })
})

describe('a PIN or passcode', () => {
  it('a passcode is needed to approve, is verified before the number, and stands in no proof', async () => {
    const passcode = 'Wanderdünen am See'
    const pinDomain = await running.service.administration.createDomain(running.organization.id, {
      name: 'With passcode',
      keyType: 'PASSCODE',
    })
    const cem = await approver(running, pinDomain.id, { pin: passcode })
    const there = approvalsOf(running, pinDomain.id)
    const { json } = await there.ask({ user: { id: cem.id } })

    expect((await cem.decide(json.id, 'approve')).code).toBe('api.error.invalid.pin')
    expect((await cem.decide(json.id, 'approve', { pin: 'Wanderdünen am Meer' })).code).toBe('api.error.invalid.pin')
    expect((await cem.decide(json.id, 'approve', { pin: passcode })).json.state).toBe('approved')
    const { approvers } = await there.get(json.id)
    const { answer, receipt } = approvers[0]!.proof!
    expect(decodeJwt(receipt)).toMatchObject({ pinVerified: true })
    expect(JSON.stringify([decodeJwt(answer), decodeJwt(receipt)])).not.toContain(passcode)
  })
})

describe('a thief of the database', () => {
  it('a thief of the database finds neither what people approved nor a key that signs receipts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-approvals-'))
    const database = join(folder, 'mfa.sqlite')
    const victim = await startService({ database })
    try {
      const person = await approver(victim)
      const { json } = await approvalsOf(victim).ask({ user: { id: person.id } })
      await person.decide(json.id, 'approve')
      const raw = new Database(database, { readonly: true })
      const rows = ['approval', 'approver', 'receipt_key', 'requester_block', 'audit'].flatMap((table) =>
        raw.prepare(`select * from ${table}`).all(),
      )
      raw.close()

      const text = JSON.stringify(rows)
      expect(rows.length).toBeGreaterThan(5)
      expect(text).toContain(json.digest)
      for (const part of ['Transfer', '€250.00', 'DE89', 'approval+jws', '"d":']) expect(text).not.toContain(part)
      const [{ private_key: sealed }] = rows.filter((row) => Object.hasOwn(Object(row), 'private_key')) as [
        { private_key: string },
      ]
      expect(sealed).toMatch(/^[\w-]+\.[\w-]+$/)
    } finally {
      await victim.close()
      rmSync(folder, { recursive: true })
    }
  })
})
