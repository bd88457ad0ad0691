import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { saveAccounts } from '../../../src/cli/device/state-file.ts'
import { createDevice } from '../../../src/device/index.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import { startService } from '../../service/start-service.ts'
import type { Running } from '../../service/start-service.ts'
import { unique } from '../../service/features/codes/code-holder.ts'
import { runWith } from '../admin/run-command.ts'
import { runWith as runProcess } from '../command.ts'

const pin = '4071'
let running: Running
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'second-factor-pin-'))
  // The commands have clocks of their own.
  running = await startService({ clock: systemClock }, { keyType: 'PIN', maxAllowedRetries: 2 })
  return async () => {
    await running.close()
    await rm(folder, { recursive: true })
  }
})

/** A user with an activation code, and a way to run commands. */
async function invited() {
  const { call, domain, origin } = running
  const { json: user } = await call('POST', '/users', {
    body: { username: unique(), name: 'A', email: 'a@example.com' },
  })
  const path = `/domains/${domain.id}/users/${user.id}`
  await call('PUT', path)
  const { code } = (await call('PUT', `${path}/token`)).json
  const state = join(folder, `${user.username}.json`)
  const device = (input: string, ...args: string[]) => runWith(input, 'device', ...args, '--state', state)
  const deviceProcess = (input: string, ...args: string[]) => runProcess(input, 'device', ...args, '--state', state)
  const activate = (typed: string) => device(typed, 'activate', '--url', origin, '--code', code, '--pin-stdin')
  const ask = async (more: object = {}) =>
    (await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: user.id }, ...more } })).json
  return { state, user, code, device, deviceProcess, activate, ask }
}

/** The same, with an account in the file: as `activate` does it, without the time a process takes to start. */
async function activated() {
  const person = await invited()
  const core = createDevice({ extractableKeys: true })
  await saveAccounts(person.state, [await core.activate(running.origin, person.code, { name: 'Test', pin })])
  return person
}

describe('second-factor device, in a domain with a PIN', () => {
  it('second-factor device activates an account and approves a request with a piped PIN', async () => {
    const { deviceProcess, activate, ask } = await invited()

    const added = await activate(`${pin}\n`)
    const session = await ask({ numberMatching: true })
    const approved = await deviceProcess(pin, 'approve', '--number', session.number, '--pin-stdin')

    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(approved).toMatchObject({ code: 0, stdout: `Approved  ${session.id}\n` })
  })

  it('second-factor device shows codes with a piped PIN, and shows the history', async () => {
    const { device, ask } = await activated()
    const session = await ask()
    await device('', 'deny')

    const code = await device(pin, 'code', '--pin-stdin', '--json')
    const signedIn = await ask({ otp: JSON.parse(code.stdout).codes[0].code })
    const history = await device('', 'history', '--json')

    expect(signedIn.state).toBe('approved')
    expect(JSON.parse(history.stdout).entries).toMatchObject([{ id: session.id, reason: 'user_denied' }])
  })

  it('second-factor device activate rejects a PIN that is easy to guess, and keeps the code valid', async () => {
    const { activate } = await invited()

    const [guessable, good] = [await activate('1234'), await activate(pin)]

    expect(guessable).toMatchObject({ code: 1, stderr: 'This PIN is too easy to guess. Choose another one.\n' })
    expect(good.code).toBe(0)
  })

  it('second-factor device says how many PIN tries are left, and finally that the account was removed', async () => {
    const { device, ask } = await activated()
    await ask()

    const [first, last] = [
      await device('0000', 'approve', '--pin-stdin'),
      await device('0001', 'approve', '--pin-stdin'),
    ]

    expect([first.code, last.code]).toEqual([1, 1])
    expect(first.stderr).toBe('Wrong PIN or passcode. One try is left before the account is removed.\n')
    expect(last.stderr).toContain('wrong too often: the account was removed')
  })

  it('second-factor device says how to pipe in the PIN when there is no terminal', async () => {
    const { device, ask } = await activated()
    await ask()

    const approved = await device('', 'approve')
    const code = await device('', 'code')

    expect(approved).toMatchObject({
      code: 2,
      stderr: 'The PIN is required. Pipe it in and add --pin-stdin. See: second-factor device approve --help\n',
    })
    expect(code.stderr).toContain('requires its PIN or passcode. Pipe it in and add --pin-stdin.')
  })

  it('second-factor device saves neither the PIN nor the secret of codes in its file', async () => {
    const { state } = await activated()

    const [account] = JSON.parse(await readFile(state, 'utf8')).accounts

    expect(account).not.toHaveProperty('codeSecret')
    expect(account.lockedSecret).toEqual({
      salt: expect.any(String),
      secret: expect.any(String),
      iterations: 600_000,
    })
    expect(JSON.stringify(account)).not.toContain(`"${pin}"`)
  })

  it('second-factor device renames an account in its file, and removes it from the file and the service', async () => {
    const { state, device, user } = await activated()

    const renamed = await device('', 'rename', 'domain', 'Work')
    const removed = await device('', 'remove', 'work', '--yes')

    expect(renamed.stdout).toContain(`Renamed  Work: ${user.name} at Domain`)
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed  Work') })
    expect(JSON.parse(await readFile(state, 'utf8')).accounts).toEqual([])
    const token = await running.call('GET', `/domains/${running.domain.id}/users/${user.id}/token`)
    expect(token.code).toBe('api.error.notfound.token')
  })

  it('second-factor device reads account files of the previous version', async () => {
    const { state, device } = await activated()
    const saved = JSON.parse(await readFile(state, 'utf8'))
    delete saved.accounts[0].domain.keyType
    await writeFile(state, JSON.stringify({ ...saved, version: 1 }))

    expect(await device('', 'list')).toMatchObject({ code: 0 })
  })
})
