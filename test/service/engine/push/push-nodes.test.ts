import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startPushService } from '../../../support/push-service.ts'
import type { PushService } from '../../../support/push-service.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { createCall, keysFor, read, startService } from '../../start-service.ts'

describe.each(mainEngines)('the nodes of one %s database', (engine) => {
  const newDatabase = useEngine(engine)
  let pushes: PushService

  beforeAll(async () => void (pushes = await startPushService()))
  afterAll(() => pushes.close())

  it('several nodes create one key pair for push messages, however many start at once, and keep it', async () => {
    const database = await newDatabase()
    const starting = () => createService({ database, ...keysFor(database) })
    const together = await Promise.all([starting(), starting(), starting()])
    const keys = await Promise.all(together.map((service) => keyOf(service)))
    await Promise.all(together.map((service) => service.close()))
    const later = await starting()

    expect(new Set([...keys, await keyOf(later)]).size).toBe(1)
    await later.close()
  })

  inFullRun('two nodes send one push message for a session: from the node that created it', async () => {
    const database = await newDatabase()
    const push = { agent: pushes.agent() }
    const here = await startService({ database, push })
    const there = await createService({
      database,
      clock: here.clock,
      push: { agent: pushes.agent() },
      ...keysFor(database),
    })
    const door = await listen(there.listener, { host: '127.0.0.1', port: 0 })
    const callThere = createCall(`http://127.0.0.1:${door.port}`, here.apiKey)
    const { user } = await here.enroll(unique(), { push: pushes.subscribe() })

    const { json } = await callThere('POST', `/domains/${here.domain.id}/sessions`, { body: { user: { id: user.id } } })
    await pushes.received(1)
    await Promise.all([here.close(), there.close()])
    await door.close()

    expect(pushes.messages.map((message) => message.json)).toEqual([{ session: json.id }])
  })
})

/** As a device receives it. */
async function keyOf(service: Awaited<ReturnType<typeof createService>>): Promise<string> {
  const { administration } = service
  const organization = await administration.createOrganization(unique())
  const domain = await administration.createDomain(organization.id, { name: 'Domain' })
  const apiKey = await administration.createApiKey(organization.id)
  const door = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${door.port}`
  const call = createCall(origin, apiKey)
  const { json: user } = await call('POST', '/users', { body: { username: 'a', name: 'A', email: 'a@example.com' } })
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  const { code } = (await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)).json
  const preview = await read(
    await fetch(origin + devicePaths.preview, { method: 'POST', body: JSON.stringify({ code }) }),
  )
  await door.close()
  return preview.json.pushKey
}
