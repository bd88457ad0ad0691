import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createDevice } from '../../src/device/device.ts'
import { deviceCommand } from '../../src/cli/commands/device.ts'
import { saveAccounts } from '../../src/cli/device/state-file.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { run, start } from './command.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'second-factor-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** A service, and a state file with alice's account. */
async function activated() {
  const service = await startService()
  const state = join(await folder(), 'device.json')
  const { userId, code } = await add(service, state, 'alice')
  return { service, state, userId, code }
}

/** As `activate` does it, without the time a process takes to start. */
async function add(service: RunningService, state: string, username: string) {
  const { userId, code } = await service.enroll(username)
  const device = createDevice({ extractableKeys: true })
  await saveAccounts(state, [await device.activate(service.url, code, { name: 'Test' })])
  return { userId, code }
}

describe('second-factor device code', () => {
  it('shows a code that signs in where approving does not work', async () => {
    const { service, state } = await activated()

    const ended = await run('device', 'code', '--state', state)

    const otp = /Code +(\d{3} \d{3})\n/.exec(ended.stdout)?.[1] ?? ''
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^Account +alice at Wiki \(Acme\)\n/)
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('has one for each account, for scripts as JSON', async () => {
    const { service, state } = await activated()
    await add(service, state, 'bob')

    const { stdout } = await run('device', 'code', '--json', '--state', state)

    const [first, second] = JSON.parse(stdout).codes
    expect(await service.ask('alice', { otp: first.code })).toMatchObject({ state: 'approved' })
    expect(await service.ask('bob', { otp: second.code })).toMatchObject({ state: 'approved' })
  })

  it('says what to do about an account from before there were codes', async () => {
    const { state } = await activated()
    const saved = JSON.parse(await readFile(state, 'utf8'))
    delete saved.accounts[0].codeSecret
    await writeFile(state, JSON.stringify(saved))

    const ended = await run('device', 'code', '--state', state)

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('no offline codes')
  })
})

describe('second-factor device activate', () => {
  it('adds an account, and says what to do next', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const state = join(await folder(), 'device.json')

    const ended = await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/Added +Wiki\nOrganization +Acme\nUser +alice\n/)
    expect(ended.lines.at(-1)).toContain(`second-factor device watch --state ${state}`)
  })

  it('takes a whole activation link', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const link = `${service.url}/authenticator/#code=${code}`

    const ended = await run('device', 'activate', '--url', link, '--state', join(await folder(), 'device.json'))

    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('keeps keys where only their owner can read them', async () => {
    const { state } = await activated()

    const { mode } = await stat(state)

    expect(mode & 0o777).toBe(0o600)
  })

  it('keeps several accounts in one file', async () => {
    const { service, state } = await activated()
    const { code } = await service.enroll('bob')

    await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    const { stdout } = await run('device', 'list', '--state', state)
    expect(stdout).toContain('alice at Wiki (Acme)')
    expect(stdout).toContain('bob at Wiki (Acme)')
  })

  it('says in one line what is wrong with a used code', async () => {
    const { service, state, code } = await activated()

    const ended = await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      'That activation code does not work: mistyped, used or too old. Check it, or get a new one on the web page.\n',
    )
  })

  it('does not use a code up when the account could not be kept', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const nowhere = join(await folder(), 'missing', 'device.json')
    const args = ['device', 'activate', '--url', service.url, '--code', code, '--state']

    const refused = await run(...args, nowhere)
    const later = await run(...args, join(await folder(), 'device.json'))

    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Cannot write')
    expect(later.code).toBe(0)
  })

  it('does not write over a file that is something else', async () => {
    const file = join(await folder(), 'notes.txt')
    await writeFile(file, 'my notes')

    const ended = await run(
      'device',
      'activate',
      '--url',
      'http://localhost:1',
      '--code',
      'abcdefgh23',
      '--state',
      file,
    )

    expect(ended.code).toBe(1)
    expect(await readFile(file, 'utf8')).toBe('my notes')
  })

  it('does not send a code over http to another machine unless told to', async () => {
    const state = join(await folder(), 'device.json')

    const ended = await run('device', 'activate', '--url', 'http://192.0.2.1', '--code', 'abcdefgh23', '--state', state)

    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('--allow-insecure-http')
  })
})

describe('second-factor device list', () => {
  it('prints as JSON what scripts need, without what answers a request', async () => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Firefox' }] })

    const { stdout, code } = await run('device', 'list', '--json', '--state', state)

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      accounts: [{ organization: { name: 'Acme' }, domain: { name: 'Wiki' }, user: { username: 'alice' } }],
      requests: [{ id: session.id, numberLength: 0, attributes: [{ key: 'Browser', value: 'Firefox' }] }],
    })
    expect(stdout).not.toMatch(/nonce|privateKey/)
  })

  it('prints changes of factors as well, and leaves them on the inbox', async () => {
    const { service, state, userId } = await activated()
    await service.client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 60 })

    const plain = await run('device', 'list', '--state', state)
    const { stdout } = await run('device', 'list', '--json', '--state', state)

    expect(plain.stdout).toMatch(
      /New recovery codes were made for alice at Wiki \(Acme\) on [\d-]+ [\d:]+ UTC\. Wasn't you\? Tell your administrator\./,
    )
    expect(JSON.parse(stdout).notices).toMatchObject([{ kind: 'codes_made', domain: { name: 'Wiki' } }])
  })

  it('lets no text of others move the cursor or turn the line around', async () => {
    const { service, state } = await activated()
    await add(service, state, 'mallory\u202e')

    const { stdout } = await run('device', 'list', '--state', state)

    expect(stdout).toContain('mallory\ufffd')
  })
})

describe('second-factor device approve', () => {
  it('approves the only pending session with its number', async () => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { numberMatching: true })

    const ended = await run('device', 'approve', '--number', session.number!, '--state', state)

    expect(ended).toMatchObject({ code: 0, stdout: `Approved  ${session.id}\n`, stderr: '' })
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('fails when the numbers do not match', async () => {
    const { service, state } = await activated()
    await service.ask('alice', { numberMatching: true })

    const ended = await run('device', 'approve', '--number', '00', '--state', state)

    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'The numbers did not match. Start again on the web page.\n',
    })
  })

  it('says which command to type when a number is needed and nobody is there to ask', async () => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { numberMatching: true })

    const ended = await run('device', 'approve', '--state', state)

    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(`second-factor device approve ${session.id} --number NN --state ${state}`)
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it('ends with 3 when nothing is pending', async () => {
    const { state } = await activated()

    const ended = await run('device', 'approve', '--state', state)

    expect(ended.code).toBe(3)
    expect(ended.stderr).toMatch(/^Nothing is pending\. /)
  })

  it('wants to know which of several, and takes the beginning of an id', async () => {
    const { service, state } = await activated()
    const one = await service.ask('alice')
    const other = await service.ask('alice')

    const unnamed = await run('device', 'approve', '--state', state)
    const named = await run('device', 'approve', one.id.slice(0, 12), '--state', state)

    expect(unnamed.code).toBe(2)
    expect(unnamed.stderr).toContain(one.id)
    expect(unnamed.stderr).toContain(other.id)
    expect(named.code).toBe(0)
    expect(await service.state(other.id)).toMatchObject({ state: 'pending' })
  })
})

describe('second-factor device deny and report', () => {
  it.each([
    ['deny', 'user_denied'],
    ['report', 'reported'],
  ])('%s the only pending session', async (command, reason) => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { numberMatching: true })

    const ended = await run('device', command, '--state', state)

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason })
  })
})

describe('second-factor device watch', () => {
  it('prints each request as it arrives, and the command that approves it', async () => {
    const { service, state } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting for requests: alice at Wiki \(Acme\)/)

    const session = await service.ask('alice', { numberMatching: true, ipAddress: '203.0.113.7' })
    await watching.printed(/To approve/)
    watching.stop()
    const ended = await watching.ended

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/From +203\.0\.113\.7 \(reported by the app\)/)
    expect(ended.stdout).toContain(`second-factor device approve ${session.id} --number NN`)
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it('prints a change of factors as it happens', async () => {
    const { service, state, userId } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting for requests/)

    await service.client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 60 })
    await watching.printed(/New recovery codes were made for alice at Wiki/)
    watching.stop()

    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('--approve approves by itself what needs no number, and nothing else', async () => {
    const { service, state } = await activated()
    const watching = start('device', 'watch', '--approve', '--state', state)
    await watching.printed(/Waiting/)

    const matched = await service.ask('alice', { numberMatching: true })
    await watching.printed(/A number is needed/)
    const plain = await service.ask('alice')
    await watching.printed(/Approved/)
    watching.stop()
    await watching.ended

    expect(await service.state(plain.id)).toMatchObject({ state: 'approved' })
    expect(await service.state(matched.id)).toMatchObject({ state: 'pending' })
  })

  it('ends when its only account was removed', async () => {
    const { service, state, userId } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting/)

    await service.client.tokens.revoke(service.domainId, userId)
    const ended = await watching.ended

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('This account was removed by its organization.')
  })
})

describe('second-factor device', () => {
  it('names exit codes and two examples in the help of each command', () => {
    const helps = deviceCommand().commands.map((command) => {
      let text = ''
      command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
      return text
    })

    expect(helps).toHaveLength(10)
    for (const help of helps) {
      expect(help.match(/^ {2}\$ second-factor device /gm)).toHaveLength(2)
      expect(help).toContain('Exit codes:')
    }
  })

  it('ends with 2 when it is used wrongly', async () => {
    const ended = await run('device', 'list')

    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('--state')
  })

  it('says in one line that the service cannot be reached', async () => {
    const { service, state } = await activated()
    service.breakConnections()

    const ended = await run('device', 'list', '--state', state)

    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe('The service does not answer. Check the address and the connection, then try again.\n')
  })
})
