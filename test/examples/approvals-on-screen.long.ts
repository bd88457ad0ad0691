import { createTestClock } from 'second-factor/testing'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { verifyApproval } from '../../src/client/index.ts'
import { add, phones, withClock } from '../authenticator/phone.ts'
import type { Prepare } from '../authenticator/phone.ts'
import { appears, button, headline } from '../authenticator/screen.ts'
import { startService } from '../support/running-service.ts'
import type { RunningService } from '../support/running-service.ts'
import { placeFor, startDeployment, startTool } from './approving.ts'

const phone = await phones()

/** The people who have added an account to an authenticator, each in a browser of their own, by the link that they were sent. */
async function join(service: RunningService, usernames: readonly string[], prepare?: Prepare): Promise<Page[]> {
  const pages: Page[] = []
  for (const username of usernames) {
    const { code } = await service.enroll(username)
    const page = await phone.open(service, `#code=${code}`, {}, prepare)
    await add(page)
    pages.push(page)
  }
  return pages
}

const placeOf = ({ url, apiKey, domainId }: RunningService) =>
  placeFor({ MFA_BASE_URL: `${url}/api`, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domainId })

/** Leaves the screen of an answer. */
async function done(page: Page): Promise<void> {
  await button(page, 'OK').click()
  await page.getByText('Nothing to approve').waitFor()
}

const report = 'I didn’t ask for this\u00a0– deny and block'

describe('agent-tool.js and the authenticator', () => {
  const payment = { to: 'DE89370400440532013000', cents: 1250 }

  it('agent-tool.js pays once a person has read its arguments on the authenticator and approved them', async () => {
    const service = await startService()
    const [alice] = (await join(service, ['alice'])) as [Page]
    const tool = startTool('agent-tool.js', await placeOf(service))

    const answer = tool.pay({ ...payment, title: 'Harmless' })
    await headline(alice, 'Approve this?')
    const shown = await alice.locator('#facts').innerText()
    const paidBefore = tool.paid()
    await button(alice, 'Approve').click()

    expect(shown).toMatch(/^Pay €12\.50\s+To\s+DE89370400440532013000\s+Asked by\s+Payment agent \(not confirmed\)/)
    expect(shown).not.toContain('Harmless')
    expect(paidBefore).toBe('')
    expect((await answer).result).toMatchObject({ isError: false })
    expect(await headline(alice, 'Approved')).toBe(true)
    expect(JSON.parse(tool.paid())).toMatchObject(payment)
  })

  it('agent-tool.js pays nothing that a person denies, leaves unanswered or reports on the authenticator', async () => {
    const clock = createTestClock()
    const service = await startService({ service: { clock } })
    const [alice] = (await join(service, ['alice'], withClock)) as [Page]
    const tool = startTool('agent-tool.js', await placeOf(service))

    const denied = tool.pay(payment)
    await headline(alice, 'Approve this?')
    await button(alice, 'Deny').click()
    await headline(alice, 'Denied')
    await done(alice)

    const expired = tool.pay({ ...payment, cents: 300 })
    await headline(alice, 'Approve this?')
    await alice.clock.fastForward(301_000)
    await clock.advance(301)
    await headline(alice, 'Time ran out')
    await alice.getByText('Pay €3.00').waitFor()
    await done(alice)

    const reported = tool.pay({ ...payment, cents: 400 })
    await headline(alice, 'Approve this?')
    await button(alice, report).click()
    await headline(alice, 'Denied and blocked')
    const blocked = tool.pay({ ...payment, cents: 500 })

    const reasons = []
    for (const answer of [denied, expired, reported, blocked]) reasons.push((await answer).result.content[0].text)
    expect(reasons).toEqual([
      expect.stringContaining('user_denied'),
      expect.stringContaining('expired'),
      expect.stringContaining('reported'),
      expect.stringContaining('has blocked this requester'),
    ])
    expect(tool.paid()).toBe('')
    expect(await appears(alice.getByText('Whoever asked can’t ask you again for 24 hours.'))).toBe(true)
  })
})

describe('deploy.sh and the authenticator', () => {
  const title = 'Deploy v4.2 to production'

  /** dora deploys. anna, ben and cem are asked on their phones, and dora has one, too. */
  async function arrange() {
    const service = await startService()
    const people = (await join(service, ['anna', 'ben', 'cem', 'dora'])) as [Page, Page, Page, Page]
    const deployment = await startDeployment(await placeOf(service), await service.client.approvals.keys())
    for (const approver of people.slice(0, 3)) await headline(approver, 'Approve this?')
    return { service, people, ...deployment }
  }

  it('deploy.sh deploys once two people have approved on their phones, and the requester has nothing to approve', async () => {
    const { service, people, code, proof, deployed } = await arrange()
    const [anna, ben, cem, dora] = people

    const shown = await ben.locator('#facts').innerText()
    const requesterIdle = await appears(dora.getByText('Nothing to approve'))
    await button(anna, 'Approve').click()
    await headline(anna, 'Approved')
    await anna.getByText('Others still have to approve it.').waitFor()
    const deployedByOne = deployed()
    await button(ben, 'Approve').click()
    await headline(ben, 'Approved')

    expect(await code).toBe(0)
    expect(shown).toMatch(/^Deploy v4\.2 to production\s+Commit\s+[0-9a-f]{40}\s+Folder\s+target\s+Asked by\s+dora/)
    expect(shown).toContain('2 people have to approve')
    expect([deployedByOne, deployed()]).toEqual([false, true])
    expect(await headline(cem, 'No longer needed')).toBe(true)
    expect([requesterIdle, await dora.getByText(title).count()]).toEqual([true, 0])
    const verified = verifyApproval(proof(), { trust: await service.client.approvals.keys() })
    expect(verified.answers.map(({ user }) => user.username).sort()).toEqual(['anna', 'ben'])
  })

  it('deploy.sh deploys nothing once two of three people have denied on their phones', async () => {
    const { people, code, proof, deployed } = await arrange()
    const [anna, ben, cem] = people

    for (const approver of [anna, ben]) {
      await button(approver, 'Deny').click()
      await headline(approver, 'Denied')
    }

    expect(await code).toBe(1)
    expect([deployed(), proof().state]).toEqual([false, 'denied'])
    expect(await headline(cem, 'No longer needed')).toBe(true)
  })
})
