import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { resetUser } from '../../src/service/features/people/reset.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { organizations } from '../../src/service/features/domains/organization-statements.ts'
import { startOwnApp } from '../express/own-factors.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

/** The attacker is signed in, and tries to keep access after an administrator removed their factors. */
async function arrange(database?: string) {
  const app = await startOwnApp({}, {}, database)
  const { browser, account } = await app.withDevice()
  const { id } = await app.user()
  const factors = async () => (await app.user()).factors
  return { ...app, person: browser, account, id, factors }
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-keeps-access-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'mfa.sqlite')
}

/** Resets the user in a separate process, as the command does. */
async function resetFromElsewhere(database: string, userId: string): Promise<void> {
  const { ctx, close } = await openService(ServiceOptions.parse({ database }))
  const [organization] = await organizations(ctx.store.db)
  await resetUser(ctx, { organizationId: organization?.id ?? '', userId })
  await close()
}

describe('a user who passed with a factor that an administrator has removed since', () => {
  it('a user who passed with a factor that was removed since cannot add an app, even right after the second step', async () => {
    const { person, client, domainId, id, factors, ...app } = await arrange()
    const setupPage = await person.open('/mfa/devices/app')
    await client.tokens.revoke(domainId, id)

    const answers = [
      await person.open('/mfa/devices/app'),
      await person.submit('/mfa/devices/app', { code: app.codesOf(setupPage)() }),
      await person.submit('/mfa/devices/device'),
      await person.submit('/mfa/devices/codes'),
    ]

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect(answers[0]?.text).toContain('Ask your administrator')
    expect(await factors()).toEqual([])
    expect((await client.users.get(id)).bypasscodes).toEqual([])
  })

  inFullRun(
    'a user who passed with a factor that was removed since cannot use an earlier code for another device',
    async () => {
      const { person, client, domainId, id, ...app } = await arrange()
      await person.submit('/mfa/devices/device')
      const page = await person.open('/mfa/devices/device')
      await client.tokens.revoke(domainId, id)

      await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    },
  )

  inFullRun(
    'a user whose factor was removed can make changes again after passing with a remaining factor',
    async () => {
      const { person, client, domainId, id, ...app } = await arrange()
      const { code } = await app.addApp(person)
      await client.tokens.revoke(domainId, id)
      expect((await person.submit('/mfa/devices/device')).headers['location']).toBe('/mfa')

      await app.clock.advance(30)
      await person.visit('/mfa')
      const signedIn = await person.submit('/mfa/code', { code: code() })
      // The web session ended with the device, so this was a new sign-in, and the change needs its own pass.
      await app.clock.advance(30)
      await person.visit('/mfa?use=code')
      const passed = await person.submit('/mfa/code', { code: code() })

      expect([signedIn, passed].map(({ headers }) => headers['location'])).toEqual(['/mfa', '/mfa/devices/device'])
    },
  )
})

describe('a user who is signed in while an administrator resets them', () => {
  it('a signed-in user whom an administrator resets is offered no first factor before signing in again', async () => {
    const database = temporaryFile()
    const { person, id, ...app } = await arrange(database)
    await resetFromElsewhere(database, id)

    const page = await person.visit('/mfa/devices/app')
    const devices = await person.submit('/mfa/devices/device')
    const newBrowser = app.browser()
    await app.signIn(newBrowser, 'alice')

    expect([page.status, devices.status]).toEqual([403, 403])
    for (const { text } of [page, await person.visit('/mfa'), await person.visit('/mfa/enroll/app')]) {
      expect(text).not.toMatch(/#code=|id="secret"/)
    }
    expect((await newBrowser.visit('/account')).text).toContain('#code=')
  })
})

describe('a code for a first device of a user with an app', () => {
  it('an activation code for a first device is worthless once it is withdrawn, even if an attacker noted it', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withApp()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')

    await browser.submit('/mfa/devices/device/cancel')

    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
  })

  it('an activation code that replaces a device is worthless once it is withdrawn', async () => {
    const app = await startOwnApp()
    const { browser, account } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')

    await browser.submit('/mfa/devices/device/cancel')

    expect(page.text).toContain('Replace your device')
    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    expect((await app.device.requests(account)).requests).toEqual([])
  })

  inFullRun('withdrawing an activation code does not remove a device that was just set up with it', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withApp()
    await browser.submit('/mfa/devices/device')
    const account = await app.activate(await browser.open('/mfa/devices/device'))

    await browser.submit('/mfa/devices/device/cancel')

    expect((await app.device.requests(account)).requests).toEqual([])
  })
})

describeInFullRun('the last factor', () => {
  it('the last factor cannot be removed, even when all factors are removed at the same time', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    await app.addApp(browser)

    await Promise.all(
      Array.from({ length: 64 }, (_, each) =>
        browser.submit('/mfa/devices/remove', { what: each % 2 ? 'device' : 'hardware' }),
      ),
    )

    expect((await app.user()).factors).not.toEqual([])
  })
})
