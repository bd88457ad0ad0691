import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import {
  forgetClientSecrets,
  oidcClientsOfOrganization,
} from '../../../../src/service/features/oidc/client-statements.ts'
import { latestAudit, verifyAudit } from '../../../../src/service/engine/audit/read.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { codeBudgets, codesLockedUntil } from '../../../../src/service/features/codes/tries.ts'
import { resynchronize } from '../../../../src/service/features/codes/resynchronize.ts'
import { domainById } from '../../../../src/service/features/domains/statements.ts'
import { hardwareTokensNamed, removeFreeToken } from '../../../../src/service/features/hardware/statements.ts'
import { countKnownBrowsers, endBrowsersOf } from '../../../../src/service/features/browsers/statements.ts'
import { isMemberOfSome } from '../../../../src/service/features/users/member-statements.ts'
import { storeInterfaceWords, rewriteService } from '../../../../src/service/engine/database/service-row.ts'
import { organizations, organizationByName } from '../../../../src/service/features/domains/organization-statements.ts'
import { isInForce } from '../../../../src/service/features/factors/passes.ts'
import { forgetPush, pushOfDevice, pushOfNotice } from '../../../../src/service/engine/push/statements.ts'
import { replaceSealed, sealedPlaces } from '../../../../src/service/engine/secrets/sealed-values.ts'
import { takePruneBudget } from '../../../../src/service/engine/audit/trusted-clock.ts'
import { countStock, findStock } from '../../../../src/service/features/people/stock-statements.ts'
import { stockTokenById } from '../../../../src/service/features/administrators/scope-statements.ts'
import { PeopleFilter } from '../../../../src/admin-contract/people.ts'
import { filteredPositions, sendersAmong } from '../../../../src/service/features/people/filtered.ts'
import { countPeople, findPeople, pageOfPeople } from '../../../../src/service/features/people/statements.ts'
import type { FoundPeople } from '../../../../src/service/features/people/statements.ts'
import { StockFilter } from '../../../../src/admin-contract/stock.ts'
import {
  answersByIds,
  pendingSessionsOf,
  sessionsByIds,
  timelinePages,
} from '../../../../src/service/features/people/timeline-statements.ts'
import { signInDaysOf } from '../../../../src/service/features/sessions/sign-in-days.ts'
import { existingByUsernames, userById, usersNamed } from '../../../../src/service/features/users/statements.ts'
import { markApplied } from '../../../../src/service/features/users/synchronization-statements.ts'
import { claim } from '../../../../src/service/features/users/synchronization-claim.ts'
import { finish } from '../../../../src/service/features/users/synchronization-finish.ts'
import { stage } from '../../../../src/service/features/users/synchronization-stage.ts'
import { countSignIns } from '../../../../src/service/features/sessions/count-sign-ins.ts'
import { correctFutureTimes } from '../../../../src/service/upkeep/future-times.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import { claimMove } from '../../features/devices/people.ts'
import { random128 } from '../../../support/device-signer.ts'
import { openDatabase } from '../audit/recorded.ts'
import { changePass, holder, member, unique } from '../../features/codes/code-holder.ts'
import { activateDevice, createCall, keysFor, newUser, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const metricsToken = 'token-for-metrics'

/** Executes what the tests of operations, events and error codes leave out, so that its statements are recorded. */
export function driveTheRest(): void {
  let folder: string
  let running: Running
  let node: OpenedService

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-drive-'))
    const database = join(folder, 'mfa.sqlite')
    running = await startService({ database, metrics: { token: metricsToken } })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
    rmSync(folder, { recursive: true })
  })

  it('only a bypass code that was handed over replaces a missing passkey', async () => {
    const person = await member(running)
    const bypasscode = async (usesAllowed: number) =>
      (await running.call('POST', `${person.path}/bypasscodes`, { body: { usesAllowed, expirationTime: 30 } })).json
    const options = { purpose: 'change_devices', phishingResistant: 'require' }
    const ask = async (usesAllowed: number) =>
      (await person.signIn({ ...options, bypasscode: (await bypasscode(usesAllowed)).code })).state

    expect([await ask(1), await ask(2)]).toEqual(['approved', 'denied'])
  })

  it('a repeated report returns again how many requests the first one denied', async () => {
    const { ask, device, pending } = await running.enroll(unique())
    const { id } = await ask()
    const { nonce } = (await pending())[0]!
    const report = async () => (await read(await device.answer(id, { nonce, decision: 'report' }))).json.blocked

    expect([await report(), await report()]).toEqual([1, 1])
  })

  it('a canceled request can be reported, and a repeated report returns again how many requests were denied', async () => {
    const { ask, device, pending, sessions } = await running.enroll(unique())
    const { id } = await ask()
    await ask()
    const { nonce } = (await pending()).find((request) => request.id === id)!
    await running.call('DELETE', `${sessions}/${id}`)
    const report = async () => (await read(await device.answer(id, { nonce, decision: 'report' }))).json.blocked

    expect([await report(), await report()]).toEqual([1, 1])
  })

  it('a report ends the browsers of the user that it names, and no others', async () => {
    const { user } = await running.enroll(unique())
    const { db } = node.ctx.store
    const owner = { domainId: running.domain.id, userId: user.id, passedAt: running.clock.now() }
    const row = { ...owner, expiresAt: running.clock.now() + 60, factors: '' }
    await db
      .insertInto('knownBrowser')
      .values([
        { ...row, idHash: 'named' },
        { ...row, idHash: 'other' },
      ])
      .execute()

    await endBrowsersOf(db, user.id, ['named'])

    const remaining = await db.selectFrom('knownBrowser').select('idHash').where('userId', '=', user.id).execute()
    expect(remaining).toEqual([{ idHash: 'other' }])
  })

  it('the statements run that use, remember and resynchronize the counter of a hardware token', async () => {
    const { id: userId, token, signIn } = await holder(running, { algorithm: 'SHA1', digits: 6, counter: 0 })
    const states = [(await signIn({ otp: token.code() })).state, (await signIn({ otp: token.code(15) })).state]
    const codes = [token.code(30), token.code(31)] as const
    const result = await node.ctx.store.db.transaction().execute((db) => resynchronize(node.ctx, db, { userId, codes }))

    expect([states, result]).toEqual([['approved', 'denied'], { id: token.id }])
  })

  it('the service knows whether a user belongs to one of the domains of an administrator', async () => {
    const { id } = await member(running)
    const isMember = (domainIds: readonly string[]) => isMemberOfSome(node.ctx.store.db, id, domainIds)

    expect([await isMember([running.domain.id]), await isMember(['0'.repeat(40)])]).toEqual([true, false])
  })

  it('the statements run that search and filter hardware tokens in the console', async () => {
    const query = {
      organizationId: running.organization.id,
      domainIds: [],
      everyone: 1,
      free: 1,
      offset: 0,
      limit: 2,
    } as const
    const { db } = node.ctx.store
    const matches = []
    for (const filter of ['none', ...StockFilter.options] as const)
      for (const options of [{ text: '' }, { text: 'zzzz' }, { text: 'zz' }, { text: 'zzzz', maxPeople: -1 }])
        matches.push(
          await findStock(db, query, { filter, ...options }),
          await countStock(db, query, { filter, ...options }),
        )
    const removed = await removeFreeToken(db, running.organization.id, '0'.repeat(40))
    await stockTokenById(db, running.organization.id, '0'.repeat(40))

    expect([matches.length, removed]).toEqual([32, false])
  })

  it('the statements run that list and count people in each order, however they are found', async () => {
    const visible = { organizationId: running.organization.id, domainIds: [], everyone: 1 } as const
    const { db } = node.ctx.store
    const { username } = await member(running)
    const kinds = [
      await findPeople(db, visible, ''),
      await findPeople(db, visible, username),
      await findPeople(db, visible, username, 0),
      await findPeople(db, visible, username.slice(0, 2)),
    ]
    const [broad] = kinds.filter(({ kind }) => kind === 'broad')
    const few = { ...broad, kind: 'few', positions: [1] } as FoundPeople
    const query = { ...visible, ...sendersAmong([]), now: 0, after: 0, offset: 0, limit: 2 }
    for (const matches of [...kinds, few])
      for (const filter of ['none', ...PeopleFilter.options] as const) {
        await countPeople(db, matches, query, filter)
        for (const order of ['added', 'name up', 'name down', 'signedIn up', 'signedIn down'] as const)
          for (const everyone of [0, 1] as const)
            await pageOfPeople(db, matches, { ...query, everyone }, { filter, order })
      }
    for (const filter of PeopleFilter.options)
      for (const everyone of [0, 1] as const)
        for (const domains of [[], [{ id: '0', emailOtpEnabled: 1 } as const]])
          await filteredPositions(db, { ...query, ...sendersAmong(domains), everyone }, filter)

    expect(kinds.map(({ kind }) => kind).slice(0, 3)).toEqual(['list', 'found', 'broad'])
  })

  it('the service tests whether the database accepts changes', async () => {
    const { db } = node.ctx.store
    await db.transaction().execute(rewriteService)

    const { id } = await db.selectFrom('service').select('id').executeTakeFirstOrThrow()

    expect(id).toBe(node.ctx.serviceId)
  })

  it('the service checks whether a hardware token is still assigned to its user', async () => {
    const { db } = node.ctx.store
    const { id, token } = await holder(running)
    const user = await userById(db, running.organization.id, id)
    const domain = await domainById(db, running.organization.id, running.domain.id)

    const pass = { domain: domain!, user: user!, factor: 'otp', factorId: token.id } as const

    expect(await isInForce(db, pass, running.clock.now())).toBe(true)
  })

  it('a device approves with a PIN, and changes where its pushes go', async () => {
    const { call, organization } = running
    const { id } = await running.service.administration.createDomain(organization.id, {
      name: unique(),
      keyType: 'PIN',
    })
    const { json: user } = await call('POST', '/users', { body: newUser(unique()) })
    await call('PUT', `/domains/${id}/users/${user.id}`)
    const { code } = (await call('PUT', `/domains/${id}/users/${user.id}/token`)).json
    const { device, pending } = await activateDevice(running.origin, running.clock, code, { pin: '4071' })
    await call('POST', `/domains/${id}/sessions`, { body: { user: { id: user.id } } })
    const [request] = await pending()

    const answered = await device.answer(request!.id, { nonce: request!.nonce, decision: 'approve', pin: '4071' })
    const pushed = await device.push(null)
    await forgetPush(node.ctx.store.db, { deviceId: request!.id, sealed: 'none' })

    expect([answered.status, pushed.status]).toEqual([200, 200])
  })

  it('a user moves an account to another device', async () => {
    const { device } = await running.enroll(unique())
    const { json: move } = await read(await device.call(devicePaths.move))
    const next = await claimMove(running, move.code)

    const cancelled = await device.call(devicePaths.cancelMove)
    const { json: secondMove } = await read(await device.call(devicePaths.move))
    const other = await claimMove(running, secondMove.code)
    await device.get(devicePaths.move)
    const confirmed = await device.call(devicePaths.confirmMove, { device: other.id })

    expect([cancelled.status, confirmed.status]).toEqual([200, 200])
    expect((await other.calls.call(devicePaths.collectMove)).status).toBe(200)
    expect((await next.calls.call(devicePaths.collectMove)).status).toBe(404)
  })

  it('the statements run that look up where to push a notice, which the device then acknowledges', async () => {
    const person = await running.enroll(unique())
    const body = { usesAllowed: 1, expirationTime: 60 }
    await running.call('POST', `/users/${person.user.id}/bypasscodes`, { body })
    const [notice] = (await (await person.device.inbox()).json()).notices
    await pushOfNotice(node.ctx.store.db, notice.id)
    await pushOfDevice(node.ctx.store.db, person.signer.id!)

    expect((await person.device.acknowledge(notice.id)).status).toBe(200)
  })

  it('the service accepts a code of a hardware token, and checks distant codes too', async () => {
    const { signIn, token } = await holder(running)

    const far = await signIn({ otp: token.code(6), challenge: random128() })
    const right = await signIn({ otp: token.code(), challenge: random128() })

    expect([far.state, right.state]).toEqual(['denied', 'approved'])
  })

  it('the service locks codes from known browsers', async () => {
    const { db } = node.ctx.store
    const { id: userId } = await holder(running)
    const codes = { userId, budget: 'known' } as const

    const { countWrong, lock } = codeBudgets[codes.budget]
    const count = await countWrong(db, codes.userId)
    await lock(db, codes.userId, { from: 1, until: 9 })

    expect([count, await codesLockedUntil(db, codes, 1)]).toEqual([{ failures: 1 }, 9])
    expect(await codesLockedUntil(db, { userId, budget: 'other' }, 1)).toBeNull()
  })

  it('a pass by a hardware token counts while its user still has the token', async () => {
    const person = await holder(running)
    const pass = await changePass(running, person.id, { otp: person.token.code() })

    const { json } = await running.call('GET', `${person.memberPath}/factors/requirement?changed=device&pass=${pass}`)

    expect(json.passed).toBe(true)
  })

  it('a member is found by username, for a sign-in and for a key of one domain', async () => {
    const { username } = await member(running)
    const { administration } = running.service
    const limited = { role: 'auth', domainId: running.domain.id } as const
    const key = await administration.createApiKey(running.organization.id, limited)

    const session = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { username }, otp: '000000' },
    })
    const answer = await createCall(running.origin, key)('GET', `/users?username=${username}`)

    expect([session.json.state, answer.json.username]).toEqual(['denied', username])
  })

  it('a request without a challenge is pending when it names an address', async () => {
    const { ask } = await running.enroll(unique())

    const session = await ask({ ipAddress: '192.0.2.1' })

    expect(session.state).toBe('pending')
  })

  it('an administrator changes the key type of a domain without tokens', async () => {
    const { administration } = running.service
    const { id } = await administration.createDomain(running.organization.id, { name: unique() })

    const changed = await administration.setDomain(running.organization.id, id, { keyType: 'PASSCODE' })

    expect(changed.keyType).toBe('PASSCODE')
  })

  it('the service counts pending sessions for metrics', async () => {
    const headers = { authorization: `Bearer ${metricsToken}` }

    const answer = await fetch(`${running.origin}/metrics`, { headers })

    expect(await answer.text()).toContain('second_factor_sessions_pending ')
  })

  it('the service synchronizes the users of a domain, and recovers a synchronization that died', async () => {
    const { organization, domain, call } = running
    const put = (...users: object[]) => call('PUT', `/domains/${domain.id}/users`, { body: users })
    await put(newUser('stays'), newUser('leaves'))
    await put({ ...newUser('stays'), name: 'Another', email: 'another@example.com' })
    const scope = { organizationId: organization.id, domainId: domain.id }
    const claimed = await claim(node.ctx, scope, () => Promise.reject(new Error('nothing was abandoned')))
    await stage(node.ctx, claimed, { rows: [newUser('brought'), { ...newUser('stays'), name: 'Yet another' }] })

    await call('POST', '/users', { body: newUser('brought') })
    const waiting = put(newUser('stays'))
    await running.clock.timerSet(10)
    // A synchronization that is still alive is not silent for so long.
    await running.clock.advance(10)
    const { status } = await waiting

    expect(status).toBe(200)
  })

  it('a member who is leaving with a synchronization can be added again', async () => {
    const { organization, call } = running
    const { id: domainId } = await running.service.administration.createDomain(organization.id, { name: unique() })
    const { json: user } = await call('POST', '/users', { body: newUser(unique()) })
    const path = `/domains/${domainId}/users/${user.id}`
    await call('PUT', path)
    const scope = { organizationId: organization.id, domainId }
    const claimed = await claim(node.ctx, scope, () => Promise.reject(new Error('nothing was abandoned')))
    await stage(node.ctx, claimed, { rows: [] })
    await markApplied(node.ctx.store.db, claimed, running.clock.now())

    const leavers = await call('GET', path)
    const added = await call('PUT', path)
    await finish(node.ctx, claimed)

    expect([leavers.status, added.status]).toEqual([404, 200])
  })

  it('the statements run that read the audit trail, and that find by name what a command is given', async () => {
    const { db } = node.ctx.store

    const verified = await verifyAudit(db, [])
    await countSignIns(node.ctx)
    await signInDaysOf(db, ['none'], 0)
    const query = { userId: 'none', domainIds: [], everyone: 1, before: 1, limit: 1 } as const
    await Promise.all(Object.values(timelinePages).map((page) => page(db, query)))
    await pendingSessionsOf(db, query, 0)
    await Promise.all([sessionsByIds(db, ['none'], 'none'), answersByIds(db, ['none'], ['none'])])
    await latestAudit(db, {}, 1)
    await latestAudit(db, { event: 'none', userId: 'none', organizationId: 'none', since: 1 }, 1)
    await organizations(db)
    await organizationByName(db, 'none')
    await running.service.administration.domains(running.organization.id)
    await hardwareTokensNamed(db, running.organization.id, 'none')
    await usersNamed(db, 'none')
    await existingByUsernames(db, { organizationId: running.organization.id }, ['none', 'nobody'])
    await countKnownBrowsers(db, 'none', 1)
    await takePruneBudget(db, 0)
    await storeInterfaceWords(db, { scheme: 'Service' })
    await oidcClientsOfOrganization(db, running.organization.id)
    await forgetClientSecrets(db, 'none')

    expect(verified.findings).toEqual([])
  })

  it('the service corrects times in the future to the present', async () => {
    const { db } = node.ctx.store
    const scope = unique()
    const row = { scope, at: running.clock.now() + 86_400, count: 3 }
    await db.insertInto('tally').values(row).execute()

    await correctFutureTimes(node.ctx)

    const rows = await db.selectFrom('tally').select(['at', 'count']).where('scope', '=', scope).execute()
    expect(rows).toEqual([{ at: running.clock.now(), count: 3 }])
  })

  it('the statements run that seal stored values with another key', async () => {
    const value = { id: 'none', sealed: 'none', userId: 'none' }

    const replacing = sealedPlaces.map((place) =>
      replaceSealed(node.ctx.store.db, place, value, { sealed: 'other', lookup: 'other' }),
    )

    await expect(Promise.all(replacing)).resolves.toHaveLength(sealedPlaces.length)
  })
}
