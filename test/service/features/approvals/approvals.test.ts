import { createHash } from 'node:crypto'

import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { approvalRedeemableFor, requesterBlockLength } from '../../../../src/contract/approvals.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { random128 } from '../../../support/device-signer.ts'
import { newUser, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { approvalsOf, approver } from './approving.ts'
import type { Approver } from './approving.ts'

describe.each(mainEngines)('an approval of an action, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let app: ReturnType<typeof approvalsOf>
  let anna: Approver

  beforeAll(async () => {
    running = await startService({ database: await newDatabase() })
    app = approvalsOf(running)
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    anna = await approver(running)
  })

  describe('a person approves what they do themselves', () => {
    it('the device gets the text that is signed, and its answer settles the approval with a proof', async () => {
      const challenge = random128()
      const { json: asked } = await app.ask({ user: { id: anna.id }, challenge })
      const [shown] = await anna.waiting()
      expect(shown).toMatchObject({ id: asked.id, content: asked.content, numberLength: 0 })
      expect(JSON.parse(asked.content)).toMatchObject({
        approval: asked.id,
        title: 'Transfer €250.00',
        requester: { kind: 'self' },
      })
      expect(asked.digest).toBe(createHash('sha256').update(asked.content).digest('hex'))

      const answer = await anna.decide(asked.id, 'approve')

      expect(answer.json).toEqual({ id: asked.id, state: 'approved' })
      const settled = await app.get(asked.id)
      expect(settled.state).toBe('approved')
      const { proof } = settled.approvers[0]!
      const { json: jwks } = await running.call('GET', '/approval-keys')
      const { kid } = decodeProtectedHeader(proof!.receipt)
      const key = await importJWK(jwks.keys.find((jwk: { kid: string }) => jwk.kid === kid))
      const { payload, protectedHeader } = await compactVerify(proof!.receipt, key)
      expect(protectedHeader.typ).toBe('approval-receipt+jws')
      expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
        decision: 'approve',
        shownBy: 'device',
        numberMatched: false,
        pinVerified: false,
        answer: createHash('sha256').update(proof!.answer).digest('base64url'),
      })
      expect(decodeJwt(proof!.answer)).toMatchObject({ content: asked.content, decision: 'approve' })
      expect(await anna.waiting()).toEqual([])
    })

    it('an approval is redeemed once, with its challenge, for ten minutes', async () => {
      const challenge = random128()
      const { json: asked } = await app.ask({ user: { id: anna.id }, challenge })
      expect((await app.redeem(asked.id, challenge)).status).toBe(409)
      await anna.decide(asked.id, 'approve')

      expect((await app.redeem(asked.id, random128())).status).toBe(409)
      const results = await Promise.all([1, 2, 3].map(() => app.redeem(asked.id, challenge)))

      expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    })

    it('an approval that is older than ten minutes cannot be redeemed', async () => {
      const challenge = random128()
      const { json: asked } = await app.ask({ user: { id: anna.id }, challenge })
      await anna.decide(asked.id, 'approve')

      running.clock.skip(approvalRedeemableFor)

      expect((await app.redeem(asked.id, challenge)).status).toBe(409)
    })

    it('an approval with a number is denied after a wrong one, and has no proof then', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id }, numberMatching: true })
      const wrong = asked.number === '10' ? '11' : '10'

      const answer = await anna.decide(asked.id, 'approve', { number: wrong })

      expect(answer.json).toMatchObject({ state: 'denied', reason: 'wrong_number' })
      expect((await app.get(asked.id)).approvers[0]!.proof).toBeUndefined()
    })

    it('an approval with the right number says so in its receipt', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id }, numberMatching: true })
      await anna.decide(asked.id, 'approve', { number: asked.number })

      const { approvers } = await app.get(asked.id)
      expect(decodeJwt(approvers[0]!.proof!.receipt)).toMatchObject({ numberMatched: true })
    })

    it('a denial is final and has a proof as well', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id } })
      const [shown] = await anna.waiting()
      await anna.answer(shown!, 'deny')

      expect((await anna.answer(shown!, 'approve')).code).toBe('api.error.conflict.state')
      const settled = await app.get(asked.id)
      expect(settled).toMatchObject({ state: 'denied', reason: 'user_denied' })
      expect(decodeJwt(settled.approvers[0]!.proof!.receipt)).toMatchObject({ decision: 'deny' })
    })

    it('the same answer can be repeated, and a held read ends with it', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id } })
      const [shown] = await anna.waiting()
      const held = running.call('GET', `${app.path}/${asked.id}`, { headers: { prefer: 'wait=60' } })
      await anna.answer(shown!, 'approve')

      expect((await held).json.state).toBe('approved')
      expect((await anna.answer(shown!, 'approve')).json).toEqual({ id: asked.id, state: 'approved' })
    })

    it('an approval whose texts all have their full length, of characters of four bytes, is approved', async () => {
      const details = Array.from({ length: 20 }, () => ({ label: '😀'.repeat(40), value: '😀'.repeat(500) }))
      const { json: asked } = await app.ask({ user: { id: anna.id }, title: '"'.repeat(120), details })

      expect((await anna.decide(asked.id, 'approve')).json.state).toBe('approved')
    })

    it('an approval in a domain with a PIN stays pending after a wrong one, and a denial needs none', async () => {
      const pinDomain = await running.service.administration.createDomain(running.organization.id, {
        name: `With PIN ${random128()}`,
        keyType: 'PIN',
      })
      const there = approvalsOf(running, pinDomain.id)
      const cem = await approver(running, pinDomain.id, { pin: '4071' })
      const { json: asked } = await there.ask({ user: { id: cem.id } })

      expect((await cem.decide(asked.id, 'approve', { pin: '1111' })).code).toBe('api.error.invalid.pin')
      expect((await there.get(asked.id)).state).toBe('pending')
      expect((await cem.decide(asked.id, 'deny')).json.state).toBe('denied')
    })

    it('a requester shows the name and the username, so that no name looks like the person themselves', async () => {
      const { json: user } = await running.call('POST', '/users', {
        body: { ...newUser('You, in Domain'), name: 'You, in Domain' },
      })
      await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)
      const { json: asked } = await app.ask({ user: { id: anna.id }, requestedBy: user.id })

      expect(JSON.parse(asked.content).requester).toEqual({
        kind: 'user',
        name: 'You, in Domain (You, in Domain)',
        id: user.id,
      })
    })

    it.each([
      ['title', { title: ' ' }, 'api.error.invalid.title'],
      ['label', { details: [{ label: '\u3164', value: '1' }] }, 'api.error.invalid.details'],
      ['value', { details: [{ label: 'To', value: '\u200b\u2800' }] }, 'api.error.invalid.details'],
      ['requester', { requestedBy: '\u00a0\u0301' }, 'api.error.invalid.requestedby'],
    ])('nobody is asked for an action whose %s cannot be seen', async (_what, more, code) => {
      const answer = await app.ask({ user: { id: anna.id }, ...more })

      expect([answer.status, answer.code]).toEqual([400, code])
      expect(await anna.waiting()).toEqual([])
    })

    it('an approval that nobody answers expires, also on the device', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id }, expiresIn: 60 })
      const [shown] = await anna.waiting()

      running.clock.skip(60)

      expect(await anna.waiting()).toEqual([])
      expect((await anna.answer(shown!, 'approve')).status).toBe(409)
      expect((await app.get(asked.id)).state).toBe('expired')
    })
  })

  describe('four eyes', () => {
    const people = () => Promise.all([approver(running), approver(running), approver(running)])
    const requester = async () => {
      const { json } = await running.call('POST', '/users', { body: newUser(`requester ${random128()}`) })
      await running.call('PUT', `/domains/${running.domain.id}/users/${json.id}`)
      return json.id as string
    }

    it('an approval needs two of three people, and the outcome names them', async () => {
      const [ben, cem, eva] = await people()
      const requestedBy = await requester()
      const ids = [ben, cem, eva].map(({ id }) => ({ id }))
      const { json: asked } = await app.ask({ approvers: ids, needed: 2, requestedBy })

      expect((await ben.decide(asked.id, 'approve')).json.state).toBe('pending')
      expect((await cem.decide(asked.id, 'approve')).json.state).toBe('approved')

      const settled = await app.get(asked.id)
      expect(settled.state).toBe('approved')
      expect(settled.approvers.map(({ user, decision }) => [user.id, decision])).toEqual([
        [ben.id, 'approve'],
        [cem.id, 'approve'],
        [eva.id, undefined],
      ])
      expect(await eva.waiting()).toEqual([])
    })

    it('the person who asks cannot be among those who approve, however they are named', async () => {
      const { json: user } = await running.call('GET', `/users/${anna.id}`)
      const [ben] = await people()
      for (const self of [{ id: anna.id }, user.username]) {
        const answer = await app.ask({ approvers: [self, { id: ben.id }], requestedBy: anna.id })
        expect(answer.code).toBe('api.error.invalid.approvers')
      }
    })

    it('no person is counted twice', async () => {
      const { json: user } = await running.call('GET', `/users/${anna.id}`)
      const answer = await app.ask({
        approvers: [{ id: anna.id }, user.username],
        needed: 2,
        requestedBy: await requester(),
      })

      expect(answer.code).toBe('api.error.invalid.approvers')
    })

    it('a requester of several people is a user of the domain, by id', async () => {
      const answer = await app.ask({ approvers: [{ id: anna.id }], requestedBy: 'deploy script' })

      expect(answer.code).toBe('api.error.invalid.requestedby')
    })

    it('two answers at once both count', async () => {
      const [ben, cem] = await people()
      const approvers = [ben, cem].map(({ id }) => ({ id }))
      const { json: asked } = await app.ask({ approvers, needed: 2, requestedBy: await requester() })

      await Promise.all([ben, cem].map((person) => person.decide(asked.id, 'approve')))

      expect((await app.get(asked.id)).state).toBe('approved')
    })

    it('the answer of a person who leaves meanwhile does not count', async () => {
      const [ben, cem] = await people()
      const approvers = [ben, cem].map(({ id }) => ({ id }))
      const { json: asked } = await app.ask({ approvers, needed: 2, requestedBy: await requester() })
      await ben.decide(asked.id, 'approve')
      const held = running.call('GET', `${app.path}/${asked.id}`, { headers: { prefer: 'wait=60' } })

      await running.call('DELETE', `/domains/${running.domain.id}/users/${ben.id}`)

      expect((await held).json).toMatchObject({ state: 'denied', reason: 'approver_removed' })
    })

    it('an action whose approver has left since cannot be redeemed', async () => {
      const [ben] = await people()
      const challenge = random128()
      const { json: asked } = await app.ask({
        approvers: [{ id: ben.id }],
        requestedBy: await requester(),
        challenge,
      })
      await ben.decide(asked.id, 'approve')
      await running.call('DELETE', `/domains/${running.domain.id}/users/${ben.id}`)

      expect((await app.redeem(asked.id, challenge)).status).toBe(409)
    })
  })

  describe('"I didn’t ask for this"', () => {
    it('a report blocks the requester for a day, until the person lifts it', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      const { json: other } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      const answer = await anna.decide(asked.id, 'report')

      expect(answer.json).toMatchObject({ state: 'denied', reason: 'reported' })
      expect(await app.get(other.id)).toMatchObject({ state: 'denied', reason: 'reported' })
      const again = () => app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      expect((await again()).code).toBe('api.error.forbidden.requester')
      expect((await app.ask({ user: { id: anna.id }, requestedBy: 'another script' })).status).toBe(200)

      const { blocks } = (await read(await anna.device.get(devicePaths.blocks))).json
      expect(blocks).toMatchObject([{ requester: { kind: 'app', name: 'deploy script' } }])
      await anna.device.call(devicePaths.liftBlock(blocks[0].id))
      expect((await again()).status).toBe(200)
    })

    it('a block ends after a day', async () => {
      const { json: asked } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      await anna.decide(asked.id, 'report')
      running.clock.skip(requesterBlockLength)

      expect((await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })).status).toBe(200)
    })

    it('no person lifts the block of another person', async () => {
      const ben = await approver(running)
      const { json: asked } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      await anna.decide(asked.id, 'report')
      const { blocks } = (await read(await anna.device.get(devicePaths.blocks))).json

      await ben.device.call(devicePaths.liftBlock(blocks[0].id))

      const again = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      expect(again.code).toBe('api.error.forbidden.requester')
    })

    it('a report of a request in one’s own name ends the web sessions', async () => {
      const { json: before } = await running.call('GET', `/users/${anna.id}`)
      const { json: asked } = await app.ask({ user: { id: anna.id } })
      await anna.decide(asked.id, 'report')

      const { json: after } = await running.call('GET', `/users/${anna.id}`)
      expect(after.epoch).not.toBe(before.epoch)
    })
  })
})
