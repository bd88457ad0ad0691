import { afterEach, describe, expect, it } from 'vitest'

import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { activateDevice, createCall } from '../../service/start-service.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

async function serve() {
  const service = await createService({ database: place.database })
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  close = async () => {
    const closed = listening.close()
    await service.close()
    await closed
  }
  const origin = `http://127.0.0.1:${listening.port}`
  return { origin, call: createCall(origin, place.apiKey) }
}

describe('beside a running service', () => {
  it('a command takes effect in a running service at once: revoking a token ends a held read', async () => {
    const { origin, call } = await serve()
    const alice = ['alice', '--name', 'Alice', '--email', 'alice@example.com', '--domain', 'Intranet']
    const { id } = await json('user', 'create', ...alice)
    const { code } = await json('token', 'issue', 'alice', '--domain', 'Intranet')
    await activateDevice(origin, systemClock, code)
    const sessions = `/domains/${place.domainId}/sessions`
    const session = (await call('POST', sessions, { body: { user: { id } } })).json
    const held = call('GET', `${sessions}/${session.id}`, { headers: { prefer: 'wait=15' } })

    const token = await json('token', 'show', 'alice', '--domain', 'Intranet')
    await admin('token', 'revoke', 'alice', '--domain', 'Intranet', '--yes')

    expect([session.state, token.state, token.device.name]).toEqual(['pending', 'active', 'Test'])
    expect((await held).json.state).toBe('cancelled')
  })

  inFullRun('a replacement code leaves the device working until the code is used', async () => {
    const { origin } = await serve()
    await json('user', 'create', 'alice', '--name', 'A', '--email', 'a@example.com', '--domain', 'Intranet')
    const target = ['alice', '--domain', 'Intranet']
    const { code: firstCode } = await json('token', 'issue', ...target)
    const { device } = await activateDevice(origin, systemClock, firstCode)

    const { stdout } = await admin('token', 'replace', ...target)
    const { code } = await json('token', 'replace', ...target)

    expect(stdout).toMatch(new RegExp(`Activation code +${code}\nValid until +\\d{4}-\\d\\d-\\d\\dT`))
    expect((await device.inbox()).status).toBe(200)
    await activateDevice(origin, systemClock, code)
    expect((await device.inbox()).status).toBe(403)
  })
})
