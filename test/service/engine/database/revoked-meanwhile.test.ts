import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { hardwareToken } from '../../features/codes/code-holder.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const people = 12

describe.each(mainEngines)('a factor that is taken away during sign-ins, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let opened: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    // Used to check state that is not visible over HTTP.
    opened = await openService(ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }))
  })
  afterAll(async () => {
    await opened.close()
    await running.close()
  })

  const enroll = (name: string) =>
    Promise.all(Array.from({ length: people }, (_, index) => running.enroll(`${name} ${index}`)))
  const revoke = (userId: string) => running.call('DELETE', `/domains/${running.domain.id}/users/${userId}/token`)
  const sessions = () => opened.ctx.store.db.selectFrom('session').select(['userId', 'state', 'redeemedAt'])
  const unredeemed = () => sessions().where('state', '=', 'approved').where('redeemedAt', 'is', null).execute()
  async function giveHardwareToken(userId: string) {
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${userId}/hardware/${token.id}`)
    return token
  }
  /** The events and their users, the oldest first. */
  async function auditTrail() {
    const rows = await opened.ctx.store.db.selectFrom('audit').select(['event', 'facts']).orderBy('position').execute()
    return rows.map(({ event, facts }) => `${event} ${JSON.parse(facts).user}`)
  }

  it('a device that is revoked during sign-ins gets no request that stays pending', async () => {
    const users = await enroll('asked')

    await Promise.all(users.flatMap(({ ask, user }) => [ask(), revoke(user.id), ask()]))

    const pending = await sessions().where('state', '=', 'pending').execute()
    expect(pending).toEqual([])
  })

  it('revoking a device during sign-ins ends the approvals by code that came before', async () => {
    const users = (await enroll('typing')).map(({ user: { id } }) => id)
    const tokens = await Promise.all(users.map((id) => giveHardwareToken(id)))

    await Promise.all(
      users.flatMap((id, index) => [
        running.call('POST', `/domains/${running.domain.id}/sessions`, {
          body: { user: { id }, otp: tokens[index]?.code(), challenge: random128() },
        }),
        revoke(id),
      ]),
    )

    const trail = await auditTrail()
    const redeemable = (await unredeemed()).map(({ userId }) => userId)
    const approvedFirst = users.filter(
      (id) => trail.indexOf(`session.approved ${id}`) < trail.indexOf(`device.revoked ${id}`),
    )
    expect(trail.filter((entry) => entry.startsWith('session.approved')).length).toBeGreaterThanOrEqual(people)
    expect(approvedFirst.filter((id) => redeemable.includes(id))).toEqual([])
  })

  it('a device that is revoked during sign-ins leaves no redeemable approval behind, and no history', async () => {
    const users = await enroll('answering')
    const signIns = await Promise.all(
      users.map(async (person) => ({
        ...person,
        id: (await person.ask({ challenge: random128() })).id,
        request: (await person.pending())[0],
      })),
    )

    await Promise.all(
      signIns.flatMap(({ device, id, request, user }) => [
        device.answer(id, { nonce: request?.nonce ?? '', decision: 'approve' }),
        revoke(user.id),
      ]),
    )

    const history = await opened.ctx.store.db.selectFrom('deviceHistory').select('sessionId').execute()
    expect({
      approved: (await unredeemed()).filter(({ userId }) => users.some(({ user }) => user.id === userId)),
      history,
    }).toEqual({ approved: [], history: [] })
  })
})
