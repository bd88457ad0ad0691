import { describe, expect, it } from 'vitest'

import { createService } from '../../../src/service/index.ts'
import { listen } from '../../../src/service/engine/http/listen.ts'
import { callConsole, consoleBrowser } from '../../service/features/administrators/console-holder.ts'
import type { Console } from '../../service/features/administrators/console-holder.ts'
import { inFullRun } from '../../support/full-run.ts'
import { run, useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

const olivia = ['--name', 'Olivia', '--email', 'olivia@example.com']
const hal = ['--name', 'Hal', '--email', 'hal@example.com', '--role', 'helpdesk', '--domain', 'Intranet']

/** The person opens the link in a browser. */
async function register(token: string): Promise<{ status: number; session: () => Promise<number> }> {
  const service = await createService({ database: place.database, console: { url: 'https://console.example' } })
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  const running = { origin: `http://127.0.0.1:${listening.port}` } as Console
  const browser = consoleBrowser(running)
  const { status } = await browser.register(token)
  await listening.close()
  await service.close()
  return {
    status,
    async session() {
      const secondService = await createService({
        database: place.database,
        console: { url: 'https://console.example' },
      })
      const door = await listen(secondService.listener, { host: '127.0.0.1', port: 0 })
      const address = { origin: `http://127.0.0.1:${door.port}` }
      const answer = await callConsole(address, 'GET', '/session', { cookie: browser.state.cookie })
      await door.close()
      await secondService.close()
      return answer.status
    },
  }
}

describe('second-factor admin', () => {
  inFullRun(
    'second-factor admin invite invites an owner with a link that works once, without a running service',
    async () => {
      const { stdout } = await admin('admin', 'invite', ...olivia, '--console-url', 'https://console.example')
      const [, token = ''] = /https:\/\/console\.example\/console\/invitation#([\w-]{43})/.exec(stdout) ?? []

      const firstUse = await register(token)
      const secondUse = await register(token)

      expect([firstUse.status, secondUse.status]).toEqual([200, 404])
      expect(await json('admin', 'list')).toMatchObject([{ name: 'Olivia', role: 'owner', domains: [] }])
      expect((await admin('admin', 'list')).stdout).toMatch(/^Olivia +olivia@example\.com +owner +all +\d{4}-/m)
    },
  )

  inFullRun(
    'second-factor admin invite links the person to a user of the organization, and to the console of this machine',
    async () => {
      await admin('user', 'create', 'hal', '--name', 'Hal', '--email', 'hal@example.com', '--domain', 'Intranet')
      const { id } = await json('user', 'show', 'hal')

      const invited = await json('admin', 'invite', ...hal, '--user', 'hal')

      expect(invited).toMatchObject({ role: 'helpdesk', domains: [place.domainId], user: id })
      expect(invited.link).toBe(`http://localhost:8787/console/invitation#${invited.token}`)
      const elsewhere = await json('admin', 'invite', ...hal, '--port', '9000')
      expect(elsewhere.link).toBe(`http://localhost:9000/console/invitation#${elsewhere.token}`)
    },
  )

  inFullRun('second-factor admin invite needs a domain for the help desk', async () => {
    const refused = await admin('admin', 'invite', ...olivia, '--role', 'helpdesk')

    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('need at least one domain')
  })

  inFullRun('second-factor admin lists and withdraws invitations', async () => {
    const { token } = await json('admin', 'invite', ...hal)

    const listed = await admin('admin', 'invitations')
    await admin('admin', 'withdraw', 'hal@example.com')

    expect(listed.stdout).toMatch(/^Hal +hal@example\.com +helpdesk /m)
    expect(listed.stdout).not.toContain(token)
    expect((await register(token)).status).toBe(404)
  })

  inFullRun('second-factor admin role changes the role of an administrator', async () => {
    await register((await json('admin', 'invite', ...hal)).token)

    const changed = await admin('admin', 'role', 'hal@example.com', 'auditor')

    expect(changed.stdout).toBe('"Hal" now has the role auditor.\n')
    expect(await json('admin', 'list')).toMatchObject([{ role: 'auditor', domains: [], version: 2 }])
  })

  inFullRun('second-factor admin record says whether a user is the administrator', async () => {
    await register((await json('admin', 'invite', ...hal)).token)
    const { id } = await json('user', 'create', 'hal', '--name', 'Hal', '--email', 'hal@example.com')

    const denied = await json('admin', 'record', 'hal@example.com', 'hal', '--not-own')
    const linked = await admin('admin', 'record', 'hal@example.com', 'hal')

    expect(denied).toMatchObject({ user: null, namesakes: [id] })
    expect(linked.stdout).toBe('"hal" is the record of "Hal".\n')
    expect(await json('admin', 'list')).toMatchObject([{ user: id, namesakes: [] }])
  })

  inFullRun('second-factor admin sessions lists sessions and ends them', async () => {
    const { session } = await register((await json('admin', 'invite', ...olivia)).token)

    const sessions = await json('admin', 'sessions', 'Olivia')
    const statusBefore = await session()
    const ended = await admin('admin', 'sessions', 'Olivia', '--end')

    expect(sessions).toHaveLength(1)
    expect(ended.stdout).toBe('Ended 1 session of "Olivia".\n')
    expect([statusBefore, await session()]).toEqual([200, 401])
  })

  inFullRun(
    'second-factor admin revoke revokes the access after a confirmation, and ends the sessions at once',
    async () => {
      const { session } = await register((await json('admin', 'invite', ...olivia)).token)

      const unasked = await admin('admin', 'revoke', 'Olivia')
      const statusBefore = await session()
      const revoked = await admin('admin', 'revoke', 'olivia@example.com', '--yes')

      expect([unasked.code, revoked.code]).toEqual([2, 0])
      expect([statusBefore, await session()]).toEqual([200, 401])
      expect((await admin('admin', 'list')).stdout).toMatch(/^Olivia +olivia@example\.com +revoked /m)
    },
  )

  it('second-factor admin invite refuses a console on an IP address', async () => {
    const refused = await run(
      'admin',
      'invite',
      '--database',
      place.database,
      ...olivia,
      '--console-url',
      'https://10.0.0.1',
    )

    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('needs a name with TLS')
  })
})
