import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { openService } from '../../../../src/service/service.ts'
import { endOtherSessions } from '../../../../src/service/features/browsers/epochs.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { changePass, hardwareToken, member, unique } from '../codes/code-holder.ts'
import { browserUser } from '../browsers/known-browser.ts'
import { keysFor, startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const bypass = { usesAllowed: 1, expirationTime: 0 }

describe.each(mainEngines)('on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true })
  })
  afterAll(() => running.close())

  const call: Running['call'] = (...args) => running.call(...args)
  const inDomain = (userId: string) => `/domains/${running.domain.id}/users/${userId}`
  const epochOf = async (userId: string) => (await call('GET', `/users/${userId}`)).json.epoch as string

  /** A user with a device, an app and a bypass code. */
  async function person() {
    const enrolled = await running.enroll(unique())
    const { id } = enrolled.user
    const token = await hardwareToken(running)
    await call('PUT', `/users/${id}/hardware/${token.id}`)
    const code = (await call('POST', `/users/${id}/bypasscodes`, { body: bypass })).json
    const pass = await changePass(running, id, { otp: token.code() })
    return { ...enrolled, id, hardware: token.id, bypassId: code.id as string, pass }
  }

  type Person = Awaited<ReturnType<typeof person>>

  async function report({ ask, pending, device }: Person) {
    const { id } = await ask()
    const [request] = await pending()
    await device.answer(id, { nonce: request!.nonce, decision: 'report' })
  }

  async function reset({ id }: { readonly id: string }) {
    const node = await openService(ServiceOptions.parse({ database, push: false, ...keysFor(database) }))
    await resetUser(node.ctx, { organizationId: running.organization.id, userId: id })
    await node.close()
  }

  const changes: readonly (readonly [string, (user: Person) => Promise<unknown>])[] = [
    ['a report', report],
    ['a reset by an administrator', reset],
    ['a revoked device', ({ id }) => call('DELETE', `${inDomain(id)}/token`)],
    [
      'a device that its owner removes',
      ({ id, pass }) => call('POST', `${inDomain(id)}/factors/give-up`, { body: { what: 'device', pass } }),
    ],
    ['a device that removes itself', ({ device }) => device.remove()],
    [
      'a hardware token that its owner removes',
      ({ id, pass }) => call('POST', `${inDomain(id)}/factors/give-up`, { body: { what: 'hardware', pass } }),
    ],
    ['a released hardware token', ({ id }) => call('DELETE', `/users/${id}/hardware`)],
    ['a deleted hardware token', ({ hardware }) => call('DELETE', `/hardware/${hardware}`)],
    ['a deleted bypass code', ({ bypassId }) => call('DELETE', `/bypasscodes/${bypassId}`)],
    ['deleted bypass codes', ({ id }) => call('DELETE', `/users/${id}/bypasscodes`)],
    [
      'replaced bypass codes',
      ({ id, pass }) => call('PUT', `${inDomain(id)}/bypasscodes`, { body: { ...bypass, pass } }),
    ],
    ['leaving the domain', ({ id }) => call('DELETE', inDomain(id))],
    ['the end of all sessions', ({ id }) => call('POST', `${inDomain(id)}/epoch`, { body: {} })],
  ]

  describe('the epoch of a user', () => {
    it.each(changes)('the epoch of a user changes with %s', async (_, change) => {
      const user = await person()
      const before = await epochOf(user.id)

      await change(user)

      expect(await epochOf(user.id)).toMatch(/^[\w-]{22}$/)
      expect(await epochOf(user.id)).not.toBe(before)
    })

    it.each([
      ['a reset', async (user: { id: string }) => reset(user)],
      ['leaving the domain', async ({ id }: { id: string }) => call('DELETE', inDomain(id))],
    ])('the epoch of a user without factors also changes with %s', async (_, change) => {
      const user = await member(running)

      await change(user)

      expect(await epochOf(user.id)).not.toBe(user.id)
    })

    it('the epoch of a user changes when a device or an authenticator app is replaced', async () => {
      const { id, ...user } = await person()
      await call('DELETE', `/users/${id}/hardware`)
      const owner = { ...(await member(running)) }
      const app = await owner.enrollApp()
      const [first, second] = [await epochOf(id), await epochOf(owner.id)]

      const { code } = (await call('PUT', `${inDomain(id)}/token/replacement`, { body: {} })).json
      await user.device.activate(code)
      await running.clock.advance(30)
      const pass = await owner.pass({ otp: app.code() })
      await owner.enrollApp({ replaces: app.answer.json.id, pass })

      expect(await epochOf(id)).not.toBe(first)
      expect(await epochOf(owner.id)).not.toBe(second)
    })

    it('a user’s epoch stays the same when a first or additional factor is added or a code is used', async () => {
      const { id, enrollApp, signIn } = await member(running)
      const before = await epochOf(id)
      await enrollApp({ first: true })
      const { code } = (await call('POST', `/users/${id}/bypasscodes`, { body: bypass })).json

      expect((await signIn({ bypasscode: code })).state).toBe('approved')

      expect(await epochOf(id)).toBe(before)
    })

    it('the epoch of a user differs from that of a deleted user with the same name', async () => {
      const user = await member(running)
      const before = await epochOf(user.id)
      await call('DELETE', user.path)

      const { json: recreated } = await call('POST', '/users', {
        body: { username: user.username, name: 'N', email: 'e@example.com' },
      })

      expect(recreated.epoch).not.toBe(before)
    })

    it('the epoch of a user becomes the value that the caller chose, unless the user already has it', async () => {
      const { id } = await person()
      const epoch = random128()

      const first = await call('POST', `${inDomain(id)}/epoch`, { body: { epoch } })
      const second = await call('POST', `${inDomain(id)}/epoch`, { body: { epoch } })

      expect(first.json).toEqual({ epoch })
      expect(second.json.epoch).not.toBe(epoch)
      expect(await epochOf(id)).toBe(second.json.epoch)
    })

    it('the epoch of a user becomes the value chosen with the code once the new device replaces the old one', async () => {
      const { id, device } = await person()
      const epoch = random128()
      const { code } = (await call('PUT', `${inDomain(id)}/token/replacement?epoch=${epoch}`, { body: {} })).json
      const before = await epochOf(id)

      await device.activate(code)

      expect([before === epoch, await epochOf(id)]).toEqual([false, epoch])
    })

    inFullRun('the epoch of a user is returned with a redeemed approval, and not to callers of 1.3', async () => {
      const { id, ask, pending, device, sessions } = await person()
      const challenge = random128()
      const session = await ask({ challenge })
      const [request] = await pending()
      await device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })

      const { json } = await call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })
      const old = await call('GET', `/users/${id}`, { headers: { accept: 'application/vnd.service.v1+json' } })

      expect(json.epoch).toBe(await epochOf(id))
      expect(old.json).not.toHaveProperty('epoch')
    })
  })

  describe('ending the sessions of a user', () => {
    it('ending the sessions of a user prevents earlier approvals from being redeemed', async () => {
      const { id, ask, pending, device, sessions } = await person()
      const challenge = random128()
      const session = await ask({ challenge })
      const [request] = await pending()
      await device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })

      await call('POST', `${inDomain(id)}/epoch`, { body: {} })
      const late = await call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })

      expect(late.code).toBe('api.error.conflict.state')
    })

    it('ending the sessions of a user also ends known browsers', async () => {
      const { pass, isKnown, id } = await browserUser(running)
      const browser = (await pass())?.id
      const before = await isKnown(browser)

      await call('POST', `${inDomain(id)}/epoch`, { body: {} })

      expect([before, await isKnown(browser)]).toEqual([true, false])
    })
  })

  describe('the event stream of a domain', () => {
    inFullRun(
      'the event stream names users whose epochs change or who leave the domain, without the value',
      async () => {
        const [reporter, leaver] = [await person(), await member(running)]
        const stream = await follow(running)

        await report(reporter)
        const first = await stream.next(reporter.id)
        await call('DELETE', inDomain(leaver.id))
        const second = await stream.next(leaver.id)
        stream.leave()

        expect([first, second]).toEqual([reporter, leaver].map(({ id }) => ({ user: id, changed: 'epoch' })))
      },
    )

    it('the event stream reports epoch changes made at another node', async () => {
      const user = await person()
      const stream = await follow(running)

      await reset(user)
      const event = await stream.next(user.id)
      stream.leave()

      expect(event).toEqual({ user: user.id, changed: 'epoch' })
    })

    it('the event stream does not report an epoch change that was rolled back', async () => {
      const [rolledBack, committed] = [await member(running), await member(running)]
      const node = await openService(ServiceOptions.parse({ database, push: false, ...keysFor(database) }))
      const watchedChanges: unknown[] = []
      node.ctx.waiters.watch((change) => void watchedChanges.push(...[change].flat()))
      const end = (userId: string, act: () => void) =>
        node.ctx.store.db.transaction().execute(async (db) => {
          await endOtherSessions(db, [userId])
          act()
        })

      await end(rolledBack.id, () => {
        throw new Error('undone')
      }).catch(() => {})
      await end(committed.id, () => {})
      await node.close()

      expect(watchedChanges).not.toContain(`epoch:${running.domain.id}:${rolledBack.id}`)
      expect(watchedChanges).toContain(`epoch:${running.domain.id}:${committed.id}`)
    })
  })
})

interface Told {
  readonly user?: string
  readonly id?: string
}

/** Follows the event stream of the domain from now on. */
async function follow({ origin, domain, apiKey }: Running) {
  const abort = new AbortController()
  const response = await fetch(`${origin}/api/domains/${domain.id}/sessions/events`, {
    headers: { accept: v14, authorization: `Service key="${apiKey}"` },
    signal: abort.signal,
  })
  const events = readEvents(response.body!)
  await events.next()
  const seenEvents: Told[] = []
  return {
    seen: seenEvents,
    /** The next event about this user, skipping those about others. */
    async next(userId: string): Promise<Told | undefined> {
      for (;;) {
        const { done, value } = await events.next()
        if (done) return undefined
        const batch = value.map((data) => JSON.parse(data) as Told)
        seenEvents.push(...batch)
        const match = batch.find(({ user }) => user === userId)
        if (match) return match
      }
    },
    leave: () => abort.abort(),
  }
}
