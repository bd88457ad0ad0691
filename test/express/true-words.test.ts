import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { unlockUser } from '../../src/service/features/people/unlock.ts'
import { openDatabase } from '../service/engine/audit/recorded.ts'
import type { Browser } from '../support/browser.ts'
import { useEngine } from '../support/engines.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const minute = 60
const codeField = 'name="code"'

const newDatabase = useEngine('SQLite')

/** Alice with a device and recovery codes, and what an attacker with her password does in other browsers. */
async function arrange() {
  const database = await newDatabase()
  const app = await startWebApp({ database, mfa: { helpUrl: '/help' } })
  const account = await app.verify(app.browser(), 'alice')
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const user = await client.users.getByUsername('alice')

  async function enter() {
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    return browser
  }
  const lockCodes = async () => {
    for (let round = 0; round < 5; round += 1) {
      const thief = await enter()
      for (let guess = 0; guess < 2; guess += 1) await thief.submit('/mfa/code', { code: '000000' })
    }
  }
  /** @returns the browser whose request was the last one. */
  const spendPushes = async (times = 5): Promise<Browser> => {
    const thief = await enter()
    await thief.visit('/account')
    await app.answer(account, 'deny')
    return times === 1 ? thief : spendPushes(times - 1)
  }
  const unlock = async () => {
    const node = await openDatabase(database, { clock: app.clock })
    const { id: organizationId } = await node.ctx.store.db
      .selectFrom('organization')
      .select('id')
      .executeTakeFirstOrThrow()
    await unlockUser(node.ctx, { organizationId, userId: user.id, domainIds: [domainId] })
    await node.close()
  }
  return { ...app, account, enter, lockCodes, spendPushes, unlock }
}

describe('the page while codes are locked', () => {
  it('while codes are locked, the page says until when, has no field, and offers the device that still works', async () => {
    const app = await arrange()
    await app.lockCodes()
    const owner = await app.enter()
    await owner.visit('/account')

    const page = await owner.visit('/mfa?use=code')

    expect(page.text).toContain('Codes work again in 15 minutes.')
    expect(page.text).toContain(`data-until="${app.clock.now() + 15 * minute}"`)
    expect(page.text).toContain('data-words="Codes work again at {time} (in 15 minutes)."')
    expect(page.text).not.toContain(codeField)
    expect(page.text).toContain('You can still approve on your device.')
    const otherWaysPage = await owner.visit('/mfa?use=other')
    expect(otherWaysPage.text).toContain('They can unlock codes and requests for you.')
    expect(otherWaysPage.text).not.toContain('?use=otp')
    expect(otherWaysPage.text).not.toContain('recovery code')
    await app.answer(app.account, 'approve', numberOn(await owner.visit('/mfa')))
  })

  it('while codes are locked, the page offers no push request that cannot be sent, but says when it can', async () => {
    const app = await arrange()
    await app.lockCodes()
    const denied = await app.spendPushes()
    const owner = await app.enter()

    const [codes, push] = [await owner.visit('/mfa?use=code'), await owner.visit('/mfa')]
    const last = await denied.visit('/mfa')

    expect(codes.text).toContain('Codes work again in 15 minutes.')
    expect(codes.text).toContain('You can send the next request in 10 minutes.')
    expect(codes.text).not.toContain('You can still approve on your device.')
    expect(codes.text).not.toContain('Send to my device')
    expect(push.text).toContain('You can send the next request in 10 minutes.')
    expect(push.text).toContain('Codes work again in 15 minutes.')
    expect(last.text).toContain('You can send the next request in 10 minutes. Codes work again in 15 minutes.')
    expect(last.text).not.toContain('Use a code')
  })

  it('the page says when only an administrator can unlock codes', async () => {
    const app = await arrange()
    for (let round = 0; round < 5; round += 1) {
      await app.lockCodes()
      app.clock.skip(4 * 60 * minute)
    }
    const owner = await app.enter()
    await owner.visit('/account')

    const page = await owner.visit('/mfa?use=code')

    expect(page.text).toContain('Codes are locked until your administrator unlocks them.')
    expect(page.text).not.toContain('data-until')
    expect(page.text).not.toContain(codeField)
  })

  inFullRun('the page has the code field again as soon as an administrator unlocks codes', async () => {
    const app = await arrange()
    const browser = await app.enter()
    await browser.visit('/account')
    await app.lockCodes()
    await browser.submit('/mfa/code', { code: '000000' })
    const locked = await browser.visit('/mfa?use=code')

    await app.unlock()

    expect(locked.text).not.toContain(codeField)
    const page = await browser.visit('/mfa?use=code')
    expect(page.text).toContain(codeField)
    expect(page.text).not.toContain('Too many tries')
  })
})

describeInFullRun('the page while no request can be sent', () => {
  it('while no request can be sent, the page offers no code to users who have none', async () => {
    const app = await startWebApp({ mfa: { factors: ['push'] } })
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')
    for (let round = 0; round < 5; round += 1) {
      await app.answer(account, 'deny')
      if (round < 4) await browser.submit('/mfa/send')
    }

    const page = await browser.visit('/mfa')

    expect(page.text).toContain('You can send the next request in 10 minutes.')
    expect(page.text).not.toContain('>Use a code<')
  })

  it('the page does not offer to send again after the last allowed request was denied', async () => {
    const app = await arrange()
    await app.spendPushes()
    const browser = await app.enter()
    await browser.visit('/account')
    await app.clock.advance(600)
    for (let round = 0; round < 5; round += 1) {
      await browser.submit('/mfa/send')
      await app.answer(app.account, 'deny')
    }

    const page = await browser.visit('/mfa')

    expect(page.text).toContain('You can send the next request in 10 minutes.')
    expect(page.text).not.toContain('action="/mfa/send"')
  })
})
