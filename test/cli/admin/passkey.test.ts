import { beforeEach, describe, expect, it } from 'vitest'

import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { passkeyPage } from '../../service/features/passkeys/passkey-holder.ts'
import { createCall } from '../../service/start-service.ts'
import type { Flags } from '../../../src/testing/software-authenticator.ts'
import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { admin, json, place } = useDatabase()

beforeEach(async () => {
  const alice = ['alice', '--name', 'Alice Doe', '--email', 'alice@example.com']
  await admin('user', 'create', ...alice, '--domain', 'Intranet')
})

/** The passkeys that alice has added in the app, and used. */
async function addPasskeys(
  ...passkeys: readonly { readonly name: string; readonly flags?: Flags; readonly used?: true }[]
) {
  const { id } = await json('user', 'show', 'alice')
  const service = await createService({ database: place.database })
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  const call = createCall(`http://127.0.0.1:${listening.port}`, place.apiKey)
  const domain = { id: place.domainId }
  for (const { name, flags, used } of passkeys) {
    const page = passkeyPage({ call, domain }, { id }, { ...(flags && { flags }) })
    const bypass = await call('POST', `/users/${id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 1 } })
    const challenge = 'A'.repeat(22)
    const body = { user: { id }, purpose: 'change_devices', challenge, bypasscode: bypass.json.code, redeem: {} }
    const { json: pass } = await call('POST', page.sessions, { body })
    await page.addPasskey({ name, pass: pass.id })
    if (used) await page.usePasskey()
  }
  await listening.close()
  await service.close()
}

describe('second-factor passkey', () => {
  it('second-factor passkey lists a user’s passkeys: where they are kept, and when they were last used', async () => {
    await addPasskeys({ name: 'Phone', flags: { be: true, bs: true }, used: true }, { name: 'Security key' })

    const { stdout } = await admin('passkey', 'list', 'alice')
    const listed = await json('passkey', 'list', 'alice')

    expect(stdout).toMatch(/^Phone +app\.example +synced +\d{4}-\S+Z +[0-9a-f]{12}$/m)
    expect(stdout).toMatch(/^Security key +app\.example +this device only +never +[0-9a-f]{12}$/m)
    expect(listed).toMatchObject([
      { name: 'Phone', rpId: 'app.example', synced: true, lastUsedAt: expect.any(Number) },
      { name: 'Security key', synced: false },
    ])
  })

  inFullRun(
    'second-factor passkey deletes a passkey by its name or the beginning of its id, with confirmation',
    async () => {
      await addPasskeys({ name: 'Phone' }, { name: 'Laptop' })
      const [phone, laptop] = await json('passkey', 'list', 'alice')

      const unconfirmed = await admin('passkey', 'delete', 'alice', 'Phone')
      const byName = await admin('passkey', 'delete', 'alice', 'phone', '--yes')
      const byId = await json('passkey', 'delete', 'alice', laptop.id.slice(0, 8), '--yes')
      const secondDelete = await admin('passkey', 'delete', 'alice', phone.id, '--yes')

      expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringMatching(/To confirm, add --yes/)])
      expect([byName.code, byName.stdout]).toEqual([0, 'Deleted the passkey "Phone" for app.example of "alice".\n'])
      expect(byId).toMatchObject({ passkey: laptop.id })
      expect([secondDelete.code, secondDelete.stderr]).toEqual([
        1,
        `No passkey "${phone.id}". See: second-factor passkey list\n`,
      ])
      expect((await admin('passkey', 'list', 'alice')).stdout).toBe('The user has no passkeys.\n')
    },
  )

  inFullRun('second-factor passkey delete asks for the id if two passkeys have the same name', async () => {
    await addPasskeys({ name: 'Phone' }, { name: 'Phone' })

    const { code, stderr } = await admin('passkey', 'delete', 'alice', 'Phone', '--yes')

    expect([code, stderr]).toEqual([2, expect.stringMatching(/matches more than one passkey: .*Use the whole id/)])
  })
})

describeInFullRun('second-factor user show', () => {
  it('second-factor user show names each passkey of the user', async () => {
    await addPasskeys({ name: 'Phone', flags: { be: true, bs: true } }, { name: 'Laptop', used: true })

    const { stdout } = await admin('user', 'show', 'alice')
    const user = await json('user', 'show', 'alice')

    expect(stdout).toMatch(/^Passkey +"Phone" for app\.example, synced, never used$/m)
    expect(stdout).toMatch(/^Passkey +"Laptop" for app\.example, this device only, last used \d{4}-\S+Z$/m)
    expect(user).toMatchObject({
      passkeys: ['app.example'],
      passkeyDetails: [{ name: 'Phone', synced: true }, { name: 'Laptop' }],
    })
  })
})

describeInFullRun('second-factor user reset', () => {
  it('second-factor user reset removes the user’s passkeys, each with an entry in the audit trail', async () => {
    await addPasskeys({ name: 'Phone' })
    const [phone] = await json('passkey', 'list', 'alice')

    await admin('user', 'reset', 'alice', '--yes')

    expect(await json('user', 'show', 'alice')).toMatchObject({ passkeys: [], factors: [] })
    const trail: { event: string; facts: object }[] = await json('audit', 'list', '--user', phone.id)
    const events: { event: string; facts: object }[] = await json('audit', 'list')
    expect(trail).toEqual([])
    expect(events.find(({ event }) => event === 'passkey.removed')?.facts).toMatchObject({ passkey: phone.id })
  })
})
