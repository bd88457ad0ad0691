import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ServiceOptions } from '../../../src/service/options.ts'
import { openService } from '../../../src/service/service.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import { engines, useEngine } from '../../support/engines.ts'
import { keysFor, startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'

const people = 12

describe.each(engines)('a device that is revoked during sign-ins, on %s,', (engine) => {
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
  const sessions = () => opened.ctx.store.db.selectFrom('session').select(['state', 'redeemedAt'])

  it('gets no request that stays pending', async () => {
    const users = await enroll('asked')

    await Promise.all(users.flatMap(({ ask, user }) => [ask(), revoke(user.id), ask()]))

    const pending = await sessions().where('state', '=', 'pending').execute()
    expect(pending).toEqual([])
  })

  it('leaves no approval behind that can be redeemed, and no history', async () => {
    const users = await enroll('answering')
    const asked = await Promise.all(
      users.map(async (person) => ({ ...person, id: (await person.ask()).id, request: (await person.pending())[0] })),
    )

    await Promise.all(
      asked.flatMap(({ device, id, request, user }) => [
        device.answer(id, { nonce: request?.nonce ?? '', decision: 'approve' }),
        revoke(user.id),
      ]),
    )

    const approved = await sessions().where('state', '=', 'approved').where('redeemedAt', 'is', null).execute()
    const history = await opened.ctx.store.db.selectFrom('deviceHistory').select('sessionId').execute()
    expect({ approved, history }).toEqual({ approved: [], history: [] })
  })
})
