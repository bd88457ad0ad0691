import { readFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { run, runIn } from '../../cli/admin/run-command.ts'
import { createDeviceCalls } from '../../support/device-signer.ts'
import { useEngine } from '../../support/engines.ts'
import { administrator, origin as consoleOrigin, startConsole } from '../features/administrators/console-holder.ts'
import type { Console } from '../features/administrators/console-holder.ts'
import { browserUser } from '../features/browsers/known-browser.ts'
import { bypassCodeOf, holder, member, unique } from '../features/codes/code-holder.ts'
import { createCall, newUser, read, withoutOverload } from '../start-service.ts'

/** What people have before the move. */
async function furnish(running: Console) {
  const { call } = running
  const owner = await administrator(running, { role: 'owner' })
  const token = await holder(running)
  const used = token.token.code()
  const browsing = await browserUser(running)
  const browser = await browsing.pass({ rememberDays: 30 })
  const phone = await running.enroll(unique())
  const recovering = await member(running)
  const [first, second] = [await bypassCodeOf(running, recovering.id), await bypassCodeOf(running, recovering.id)]
  const verified = await call('GET', `/domains/${running.domain.id}/users/${token.id}`)
  const states = [
    (await token.signIn({ otp: used })).state,
    (await recovering.signIn({ bypasscode: first.code })).state,
    browser && (await browsing.isKnown(browser.id)),
    verified.status,
  ]
  return { owner, token, used, browsing, browser, phone, recovering, first, second, states }
}

describe('a service whose database was moved from SQLite to PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })
  const newFile = useEngine('SQLite')
  const env: Record<string, string> = {}
  let running: Console
  let before: Awaited<ReturnType<typeof furnish>>
  let call: Console['call']
  let database: string
  let close: () => Promise<void>

  beforeAll(async () => {
    const file = await newFile()
    running = await startConsole(file)
    before = await furnish(running)
    await running.close()
    database = await newDatabase()
    const { code, stderr } = await run('database', 'move', '--database', file, '--to', database)
    if (code !== 0) throw new Error(stderr)
    env['MFA_KEYS'] = readFileSync(`${file}.keys`, 'utf8').trim()
    const service = await createService({
      database,
      clock: running.clock,
      keys: env['MFA_KEYS'],
      console: { url: consoleOrigin },
      limits: withoutOverload,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      push: { subject: 'mailto:operator@example.com' },
    })
    const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
    close = async () => {
      await listening.close()
      await service.close()
    }
    // Administrators ask at the address that this object has.
    Object.assign(running, { origin: `http://127.0.0.1:${listening.port}` })
    call = createCall(running.origin, running.apiKey)
  })
  afterAll(() => close())

  const signIn = async (id: string, more: object): Promise<string> =>
    (await call('POST', `/domains/${running.domain.id}/sessions`, { body: { user: { id }, ...more } })).json.state

  it('a code that was used before the move stays used, and the next one is accepted', async () => {
    const { token, used } = before
    const repeated = await signIn(token.id, { otp: used })
    await running.clock.advance(60)

    expect([before.states, repeated]).toEqual([['approved', 'approved', true, 200], 'denied'])
    expect(await signIn(token.id, { otp: token.token.code() })).toBe('approved')
  })

  it('a recovery code that was used before the move stays used, and another one is accepted', async () => {
    const { recovering, first, second } = before

    expect(await signIn(recovering.id, { bypasscode: first.code })).toBe('denied')
    expect(await signIn(recovering.id, { bypasscode: second.code })).toBe('approved')
  })

  it('a device answers after the move', async () => {
    const { phone } = before
    const device = createDeviceCalls(running.origin, phone.signer)
    const path = `/domains/${running.domain.id}/sessions`
    const { json: session } = await call('POST', path, { body: { user: { id: phone.user.id } } })
    const [request] = (await read(await device.inbox())).json.requests

    await device.answer(session.id, { nonce: request.nonce, decision: 'approve', number: session.number })

    expect((await call('GET', `${path}/${session.id}`)).json.state).toBe('approved')
  })

  it('a known browser is known after the move', async () => {
    const path = `/domains/${running.domain.id}/users/${before.browsing.id}/browsers/recognize`

    expect((await call('POST', path, { body: { browser: before.browser?.id } })).status).toBe(200)
  })

  it('an administrator keeps the session of the console, and signs in again with the same passkey', async () => {
    const { owner } = before
    const kept = await owner.call('GET', '/people')

    expect([kept.status, (await owner.signIn()).status]).toEqual([200, 200])
  })

  it('a search finds everyone after the move, and whoever is added then', async () => {
    const { owner, token } = before
    const { json: added } = await call('POST', '/users', { body: { ...newUser(unique()), name: 'Łucja Nowa' } })
    const find = async (text: string) =>
      (await owner.call('GET', `/people?q=${encodeURIComponent(text)}`)).json.people.map(({ id }: { id: string }) => id)

    expect(await find(token.username)).toContain(token.id)
    expect(await find('lucja nowa')).toEqual([added.id])
  })

  it('the audit trail is intact after the move, and says that there was one', async () => {
    const verified = await runIn(env, 'audit', 'verify', '--database', database)
    const listed = await runIn(env, 'audit', 'list', '--event', 'database.moved', '--database', database, '--json')

    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('The audit trail is intact')])
    expect(listed.stdout).toContain('database.moved')
  })
})
