import { startTestService } from 'second-factor/testing'
import type { TestDevice } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { verifyApproval } from '../../src/client/index.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { serveRest } from '../support/rest-bridge.ts'
import { placeFor, startDeployment as deploy, startTool } from './approving.ts'

/** A service that processes can reach, with devices of a test. */
async function startService() {
  const service = await startTestService()
  const rest = await serveRest(service)
  onTestFinished(() => service.close())
  return { service, ...(await placeFor(rest.env)) }
}

/** Waits until the action is on the device. */
async function actionOn(device: TestDevice, title: string): Promise<void> {
  await expect.poll(async () => (await device.pendingActions()).map((action) => action.title)).toContain(title)
}

describe('agent-tool.js', () => {
  const payment = { to: 'DE89370400440532013000', cents: 1250 }

  it('agent-tool.js pays once a person has approved exactly its arguments', async () => {
    const started = await startService()
    const device = await started.service.enroll('alice')
    const tool = startTool('agent-tool.js', started)
    expect((await tool.request('initialize')).result.capabilities).toEqual({ tools: {} })
    expect((await tool.request('tools/list')).result.tools).toMatchObject([{ name: 'pay' }])

    const answer = tool.pay({ ...payment, title: 'Harmless' })
    await actionOn(device, 'Pay €12.50')
    expect(await device.pendingActions()).toMatchObject([
      { title: 'Pay €12.50', details: [{ label: 'To', value: payment.to }], requester: 'Payment agent' },
    ])
    expect(tool.paid()).toBe('')
    await device.approveAction('Pay €12.50')

    expect((await answer).result).toMatchObject({ isError: false })
    expect(JSON.parse(tool.paid())).toMatchObject(payment)
  })

  inFullRun('agent-tool.js pays nothing after a denial, an expiry or a cancellation, and tells the model', async () => {
    const started = await startService()
    const device = await started.service.enroll('alice')
    const tool = startTool('agent-tool.js', started)

    const denied = tool.pay(payment)
    await actionOn(device, 'Pay €12.50')
    await device.denyAction('Pay €12.50')
    expect((await denied).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('user_denied') }],
    })

    const expired = tool.pay({ ...payment, cents: 300 })
    await actionOn(device, 'Pay €3.00')
    await started.service.clock.advance(301)
    expect((await expired).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('expired') }],
    })

    const canceled = tool.pay({ ...payment, cents: 400 })
    await actionOn(device, 'Pay €4.00')
    tool.send({ method: 'notifications/cancelled', params: { requestId: 3 } })
    expect((await canceled).result).toMatchObject({ isError: true })
    expect(await device.pendingActions()).toEqual([])

    expect((await tool.pay({ to: 'Anna', cents: 1 })).result.content[0].text).toContain('Not paid: `to` is an IBAN')
    expect(tool.paid()).toBe('')
  })
})

describeInFullRun('deploy.sh', () => {
  async function startDeployment() {
    const started = await startService()
    const { service } = started
    await service.addUser('dora')
    const [anna, ben] = [await service.enroll('anna'), await service.enroll('ben')]
    await service.enroll('cem')
    return { service, anna, ben, ...(await deploy(started, await service.client.approvals.keys())) }
  }

  it('deploy.sh deploys after two people have approved, and keeps a proof that verifies', async () => {
    const { anna, ben, code, proof, deployed, service } = await startDeployment()

    await anna.approveAction('Deploy v4.2 to production')
    expect(deployed()).toBe(false)
    await ben.approveAction('Deploy v4.2 to production')

    expect(await code).toBe(0)
    expect(deployed()).toBe(true)
    const verified = verifyApproval(proof(), { trust: await service.client.approvals.keys() })
    expect(verified).toMatchObject({ content: { title: 'Deploy v4.2 to production', needed: 2 } })
  })

  it('deploy.sh deploys nothing by the valid proof of another commit', async () => {
    const { anna, ben, code, deployWithThisProof } = await startDeployment()
    await anna.approveAction('Deploy v4.2 to production')
    await ben.approveAction('Deploy v4.2 to production')
    await code

    const other = await deployWithThisProof()

    expect(other).toMatchObject({ status: 3, deployed: false })
    expect(other.stderr).toMatch(/^Valid[^]*The proof is of another commit\.\n$/)
  })

  it('deploy.sh deploys nothing and exits with 1 after two denials, and with 2 when nobody answers', async () => {
    const denied = await startDeployment()
    await denied.anna.denyAction()
    await denied.ben.denyAction().catch(() => undefined)
    expect(await denied.code).toBe(1)
    expect([denied.deployed(), denied.proof().state]).toEqual([false, 'denied'])

    const expired = await startDeployment()
    await expired.service.clock.advance(901)
    expect(await expired.code).toBe(2)
    expect([expired.deployed(), expired.proof().state]).toEqual([false, 'expired'])
  })
})
