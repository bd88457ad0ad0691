import { compactVerify, importJWK } from 'jose'
import { expect, it } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { operation } from '../../operation.ts'
import type { Subject } from '../../operation.ts'
import { unknownId } from '../../start-service.ts'
import { member } from '../codes/code-holder.ts'
import { passkeyHolder, rp } from '../passkeys/passkey-holder.ts'
import { approvalsOf, approver, transfer } from './approving.ts'

/** A person who is asked to approve an action. */
async function asked(subject: Subject, more: object = {}) {
  const [person, app, challenge] = [await approver(subject), approvalsOf(subject), random128()]
  const { json } = await app.ask({ user: { id: person.id }, challenge, ...more })
  return { ...person, app, challenge, approval: json.id as string }
}

operation('POST /domains/{domainId}/approvals', (subject) => {
  it('asking a person returns the content as the person sees it, and whom it waits for', async () => {
    const anna = await approver(subject())
    const { json: user } = await subject().call('GET', `/users/${anna.id}`)

    const { json } = await approvalsOf(subject()).ask({ user: { username: user.username } })

    const now = subject().clock.now()
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      state: 'pending',
      content: (await anna.waiting())[0]?.content,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      needed: 1,
      approvers: [{ user: { id: anna.id, username: user.username } }],
      createdAt: now,
      expiresAt: now + 300,
    })
    expect(JSON.parse(json.content)).toEqual({
      approval: json.id,
      app: { id: subject().domain.id, name: 'Domain' },
      requester: { kind: 'self', name: `${user.name} (${user.username})` },
      ...transfer,
      needed: 1,
      createdAt: now,
      expiresAt: now + 300,
    })
  })

  it('a request to approve can be kept for a day, and names a requester that nothing confirms', async () => {
    const { id } = await approver(subject())

    const { json } = await approvalsOf(subject()).ask({ user: { id }, expiresIn: 86_400, requestedBy: 'Build server' })

    expect(json.expiresAt - json.createdAt).toBe(86_400)
    expect(JSON.parse(json.content).requester).toEqual({ kind: 'app', name: 'Build server' })
  })

  it('a number is returned only where one was asked for', async () => {
    const { id } = await approver(subject())
    const app = approvalsOf(subject())

    const [numbered, plain] = [
      await app.ask({ user: { id }, numberMatching: true }),
      await app.ask({ user: { id }, numberMatching: false }),
    ]

    expect([numbered.json.number, 'number' in plain.json]).toEqual([expect.stringMatching(/^\d\d$/), false])
  })

  it('people who can approve nothing are not asked', async () => {
    const { id } = await member(subject())

    const answer = await approvalsOf(subject()).ask({ user: { id } })

    expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.token'])
  })

  it.each([
    ['neither a user nor approvers', {}, 'api.error.invalid.approvers'],
    ['more people than are asked', { user: { id: unknownId }, needed: 2 }, 'api.error.invalid.needed'],
    ['approvers without a requester', { approvers: ['alice'] }, 'api.error.invalid.requestedby'],
    [
      'a number for several people',
      { approvers: ['alice'], requestedBy: unknownId, numberMatching: true },
      'api.error.invalid.numbermatching',
    ],
    ['a title of two lines', { user: { id: unknownId }, title: 'Pay\nBen' }, 'api.error.invalid.title'],
    ['a title of 121 characters', { user: { id: unknownId }, title: 'x'.repeat(121) }, 'api.error.invalid.title'],
    [
      'twenty-one details',
      { user: { id: unknownId }, details: Array.from({ length: 21 }, () => transfer.details[0]) },
      'api.error.invalid.details',
    ],
    ['a second over a day', { user: { id: unknownId }, expiresIn: 86_401 }, 'api.error.invalid.expiresin'],
  ])('a request to approve is rejected with %s', async (_what, body, code) => {
    const answer = await approvalsOf(subject()).ask(body)

    expect([answer.status, answer.code]).toEqual([400, code])
  })

  it('callers of version 1.3 cannot ask for an approval', async () => {
    const answer = await subject().call13('POST', approvalsOf(subject()).path, { body: transfer })

    expect(answer.code).toBe('api.error.notfound.operation')
  })
})

operation('GET /domains/{domainId}/approvals', (subject) => {
  inFullRun('the approvals of a domain are listed oldest first, in pages of a hundred, with their proofs', async () => {
    const app = approvalsOf(subject())
    const ids: string[] = []
    // A person has at most five that wait.
    while (ids.length < 103) {
      const { id } = await approver(subject())
      for (let count = 0; count < 5; count += 1) ids.push((await app.ask({ user: { id } })).json.id)
    }
    const anna = await asked(subject())
    await anna.decide(anna.approval, 'deny')

    const { json: first } = await subject().call('GET', app.path)
    const { json: second } = await subject().call('GET', `${app.path}?after=${first.next}`)

    const listed = [...first.approvals, ...second.approvals]
    expect([first.approvals.length, first.next, 'next' in second]).toEqual([100, ids[99], false])
    expect(listed.map(({ id }) => id)).toEqual([...ids, anna.approval])
    expect(listed.at(-1)).toEqual(await app.get(anna.approval))
    expect(listed.at(-1).approvers[0].proof).toEqual({ answer: expect.any(String), receipt: expect.any(String) })
  })

  it('the page after the last approval is empty', async () => {
    const { app, approval } = await asked(subject())

    const { json } = await subject().call('GET', `${app.path}?after=${approval}`)

    expect(json).toEqual({ approvals: [] })
  })

  it('the approvals after one of another domain are not listed', async () => {
    const { id: other } = await subject().service.administration.createDomain(subject().organization.id, {
      name: 'Other',
    })
    const { app, approval } = await asked(subject())

    const answers = [
      await subject().call('GET', `/domains/${other}/approvals?after=${approval}`),
      await subject().call('GET', `${app.path}?after=${unknownId}`),
      await subject().call('GET', `${app.path}?after=first`),
    ]

    expect(answers.map(({ status, code }) => [status, code])).toEqual(
      answers.map(() => [400, 'api.error.invalid.after']),
    )
  })
})

operation('GET /domains/{domainId}/approvals/{approvalId}', (subject) => {
  it('reading an approval returns who has answered, when and how', async () => {
    const { app, approval, decide, id } = await asked(subject())
    await decide(approval, 'deny')

    const settled = await app.get(approval)

    const now = subject().clock.now()
    expect(settled).toMatchObject({ state: 'denied', reason: 'user_denied', settledAt: now })
    expect(settled.approvers).toEqual([
      { user: { id, username: expect.any(String) }, decision: 'deny', answeredAt: now, proof: expect.any(Object) },
    ])
  })

  it('a read is held until the approval settles', async () => {
    const { app, approval, decide } = await asked(subject())
    const held = subject().call('GET', `${app.path}/${approval}`, { headers: { prefer: 'wait=60' } })

    await decide(approval, 'approve')

    expect((await held).json.state).toBe('approved')
  })

  it('an approval that nobody answers reads as expired', async () => {
    const { app, approval } = await asked(subject(), { expiresIn: 30, numberMatching: true })
    subject().clock.skip(30)

    const read = await app.get(approval)

    expect([read.state, read.settledAt, 'number' in read]).toEqual(['expired', read.expiresAt, false])
  })
})

operation('DELETE /domains/{domainId}/approvals/{approvalId}', (subject) => {
  it('a cancelled approval is gone from the device, and can be answered no more', async () => {
    const { app, approval, waiting, answer } = await asked(subject())
    const [shown] = await waiting()

    const cancelled = await app.cancel(approval)

    expect([cancelled.status, (await app.get(approval)).state]).toEqual([200, 'cancelled'])
    expect(await waiting()).toEqual([])
    expect((await answer(shown!, 'approve')).code).toBe('api.error.conflict.state')
  })

  it('cancelling an approval that has settled changes nothing', async () => {
    const { app, approval, decide } = await asked(subject())
    await decide(approval, 'approve')
    const before = await app.get(approval)

    const cancelled = await app.cancel(approval)

    expect([cancelled.status, await app.get(approval)]).toEqual([200, before])
  })
})

operation('POST /domains/{domainId}/approvals/{approvalId}/redeem', (subject) => {
  it('redeeming an approval returns it with the time of its redemption', async () => {
    const { app, approval, challenge, decide } = await asked(subject())
    await decide(approval, 'approve')

    const { status, json } = await app.redeem(approval, challenge)

    expect([status, json.redeemedAt]).toEqual([200, subject().clock.now()])
    expect(json).toEqual(await app.get(approval))
  })

  it.each(['deny', 'report'])('an action is not redeemed after the answer "%s"', async (decision) => {
    const { app, approval, challenge, decide } = await asked(subject())
    await decide(approval, decision)

    expect((await app.redeem(approval, challenge)).code).toBe('api.error.conflict.state')
  })

  it('an approval without a challenge cannot be redeemed', async () => {
    const { app, approval, decide } = await asked(subject(), { challenge: undefined })
    await decide(approval, 'approve')

    const answers = [
      await app.redeem(approval, random128()),
      await subject().call('POST', `${app.path}/${approval}/redeem`, { body: {} }),
    ]

    expect(answers.map(({ code }) => code)).toEqual(['api.error.conflict.state', 'api.error.invalid.challenge'])
  })
})

operation('GET /domains/{domainId}/approvals/events', (subject) => {
  it('the event stream of approvals has its own media type, and is unknown to callers of version 1.3', async () => {
    const path = `${approvalsOf(subject()).path}/events`
    const leave = new AbortController()

    const stream = await fetch(`${subject().origin}/api${path}`, {
      headers: { accept: 'text/event-stream', authorization: `Service key="${subject().apiKey}"` },
      signal: leave.signal,
    })
    leave.abort()
    const old = await subject().call13('GET', path)

    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(old.code).toBe('api.error.notfound.operation')
  })
})

operation('POST /domains/{domainId}/approvals/{approvalId}/passkey/options', (subject) => {
  it('starting to approve with a passkey returns what a browser needs to use it', async () => {
    const { id, passkey } = await passkeyHolder(subject())
    const app = approvalsOf(subject())
    const { json: approval } = await app.ask({ user: { id } })
    const body = { user: { id }, rp }

    const { json } = await subject().call('POST', `${app.path}/${approval.id}/passkey/options`, { body })

    expect(json).toMatchObject({ rpId: rp.id, allowCredentials: [{ id: passkey.credentialId }] })
  })

  it('a person without a passkey at this relying party cannot start to approve with one', async () => {
    const { app, approval, id } = await asked(subject())

    const answer = await subject().call('POST', `${app.path}/${approval}/passkey/options`, {
      body: { user: { id }, rp },
    })

    expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.passkey'])
  })
})

operation('POST /domains/{domainId}/approvals/{approvalId}/passkey', (subject) => {
  it('approving with a passkey settles the approval, which can be redeemed', async () => {
    const { id, authenticator } = await passkeyHolder(subject())
    const [app, challenge] = [approvalsOf(subject()), random128()]
    const { json: approval } = await app.ask({ user: { id }, challenge })
    const path = `${app.path}/${approval.id}/passkey`
    const body = { user: { id }, rp }
    const passkey = authenticator.use((await subject().call('POST', `${path}/options`, { body })).json)

    const { json } = await subject().call('POST', path, { body: { ...body, passkey } })

    expect(json).toMatchObject({ state: 'approved', approvers: [{ decision: 'approve', proof: expect.any(Object) }] })
    expect((await app.redeem(approval.id, challenge)).status).toBe(200)
  })
})

operation('GET /approval-keys', (subject) => {
  it('the keys of receipts are a JWK Set that verifies them, and are the same each time', async () => {
    const before = await subject().call('GET', '/approval-keys')
    const { app, approval, decide } = await asked(subject())
    await decide(approval, 'approve')

    const { json } = await subject().call('GET', '/approval-keys')

    expect(json).toEqual(before.json)
    expect(json.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.stringMatching(/^[\w-]{43}$/),
        alg: 'ES256',
        use: 'sig',
      },
    ])
    const { proof } = (await app.get(approval)).approvers[0]!
    const { protectedHeader } = await compactVerify(proof!.receipt, await importJWK(json.keys[0]))
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'approval-receipt+jws', kid: json.keys[0].kid })
  })
})
