import express from 'express'
import session from 'express-session'
import request from 'supertest'
import { mfa, requireApproval } from 'second-factor'
import { passSecondStep, startTestService } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'

describe('the test device and actions to approve', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startTestService()
  })
  afterEach(() => service.close())

  async function ask(title: string, options: { numberMatching?: boolean; requestedBy?: string } = {}) {
    const { client, domainId } = service
    const details = [{ label: 'To', value: 'Anna' }]
    return client.approvals.create(domainId, { user: { username: 'alice' }, title, details, ...options })
  }
  const stateOf = async (id: string) => service.client.approvals.get(service.domainId, id)

  inFullRun(
    'the test device approves an action by its title or its id, and without either the newest one',
    async () => {
      const device = await service.enroll('alice')
      const first = await ask('First')
      await service.clock.advance(1)
      const second = await ask('Second')
      await service.clock.advance(1)
      const third = await ask('Third')

      await device.approveAction('First')
      expect(await Promise.all([first, second, third].map(async ({ id }) => (await stateOf(id)).state))).toEqual([
        'approved',
        'pending',
        'pending',
      ])
      await device.approveAction()
      expect((await stateOf(third.id)).state).toBe('approved')
      await device.approveAction(second.id)
      expect((await stateOf(second.id)).state).toBe('approved')
    },
  )

  inFullRun('the test device types the number of an action', async () => {
    const device = await service.enroll('alice')
    const { id, number } = await ask('Transfer', { numberMatching: true })
    expect(number).toMatch(/^\d+$/)

    await device.approveAction('Transfer')

    expect((await stateOf(id)).state).toBe('approved')
  })

  inFullRun('the test device denies and reports actions like a person', async () => {
    const device = await service.enroll('alice')
    const denied = await ask('Delete everything')
    const reported = await ask('Pay Mallory', { requestedBy: 'A script' })

    await device.denyAction('Delete everything')
    await device.reportAction('Pay Mallory')

    expect(await stateOf(denied.id)).toMatchObject({ state: 'denied', reason: 'user_denied' })
    expect(await stateOf(reported.id)).toMatchObject({ state: 'denied', reason: 'reported' })
  })

  inFullRun('the test device lists actions as it shows them, apart from requests to sign in', async () => {
    const device = await service.enroll('alice')
    const { id } = await ask('Transfer', { requestedBy: 'A script' })

    expect(await device.pendingActions()).toEqual([
      { id, title: 'Transfer', details: [{ label: 'To', value: 'Anna' }], requester: 'A script' },
    ])
    expect(await device.pending()).toEqual([])
    await expect(device.approve()).rejects.toThrow('No request is pending')
  })

  inFullRun('the test device says which actions are pending when none has the title', async () => {
    const device = await service.enroll('alice')
    await expect(device.approveAction()).rejects.toThrow('No action waits for the approval of alice. Pending: none.')
    await ask('Transfer')

    await expect(device.approveAction('Delete')).rejects.toThrow(
      'No action "Delete" waits for the approval of alice. Pending: "Transfer".',
    )
  })

  it('a test of an app approves an action, though supertest opens another port for each request, and not for another host', async () => {
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.use(mfa({ service, clock: service.clock, user: () => ({ username: 'alice' }) }))
    const approved = requireApproval((req) => ({ title: `Transfer ${req.body.amount}` }))
    app.post('/transfer', express.json(), approved, (_req, res) => void res.send('Sent'))
    const agent = request.agent(app)
    const device = await service.enroll('alice')
    await passSecondStep(agent, device)
    const transfer = () => agent.post('/transfer').send({ amount: 5 })
    expect((await transfer()).body).toMatchObject({ error: 'approval_required' })

    await device.approveAction('Transfer 5')

    expect((await transfer().set('Host', 'other.example')).body).toMatchObject({ error: 'approval_required' })
    expect((await transfer()).text).toBe('Sent')
  })
})
