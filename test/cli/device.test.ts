import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { scanCodeText } from '../../src/contract/scan-code.ts'
import { createDevice } from '../../src/device/device.ts'
import { deviceCommand } from '../../src/cli/commands/device.ts'
import { saveAccounts } from '../../src/cli/device/state-file.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { run } from './admin/run-command.ts'
import { run as runProcess, start } from './command.ts'

// Two of the commands run as processes of their own, the others in this one: a start takes longer than most of them.

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

describeInFullRun('second-factor device code', () => {
  it('second-factor device code shows a code that signs in without an approval', async () => {
    const { service, state } = await activated()

    const ended = await runProcess('device', 'code', '--state', state)

    const otp = /Code +(\d{3} \d{3})\n/.exec(ended.stdout)?.[1] ?? ''
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^Account +alice at Wiki \(Acme\)\n/)
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('second-factor device code prints the codes of all accounts as JSON', async () => {
    const { service, state } = await activated()
    await add(service, state, 'bob')

    const { stdout } = await run('device', 'code', '--json', '--state', state)

    const [first, second] = JSON.parse(stdout).codes
    expect(await service.ask('alice', { otp: first.code })).toMatchObject({ state: 'approved' })
    expect(await service.ask('bob', { otp: second.code })).toMatchObject({ state: 'approved' })
  })

  it('second-factor device code says what to do about an account that is older than offline codes', async () => {
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
  inFullRun('second-factor device activate adds an account, and says what to do next', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const state = join(await folder(), 'device.json')

    const ended = await runProcess('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/Added +Wiki\nOrganization +Acme\nUser +alice\n/)
    expect(ended.lines.at(-1)).toContain(`second-factor device watch --state ${state}`)
  })

  inFullRun('second-factor device activate accepts a whole activation link', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const link = `${service.url}/authenticator/#code=${code}`

    const ended = await run('device', 'activate', '--url', link, '--state', join(await folder(), 'device.json'))

    expect(ended).toMatchObject({ code: 0, stderr: '' })
  })

  inFullRun('second-factor device activate saves keys in a file that only its owner can read', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const state = join(await folder(), 'device.json')

    await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)
    const { mode } = await stat(state)

    expect(mode & 0o777).toBe(0o600)
  })

  inFullRun('second-factor device activate saves several accounts in one file', async () => {
    const { service, state } = await activated()
    const { code } = await service.enroll('bob')

    await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    const { stdout } = await run('device', 'list', '--state', state)
    expect(stdout).toContain('alice at Wiki (Acme)')
    expect(stdout).toContain('bob at Wiki (Acme)')
  })

  inFullRun('second-factor device activate explains a used activation code in one line', async () => {
    const { service, state, code } = await activated()

    const ended = await run('device', 'activate', '--url', service.url, '--code', code, '--state', state)

    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      'Unknown activation code: it may be mistyped, used or expired. Check it, or get a new one on the web page.\n',
    )
  })

  inFullRun('second-factor device activate does not use up a code when the account cannot be saved', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const nowhere = join(await folder(), 'missing', 'device.json')
    const args = ['device', 'activate', '--url', service.url, '--code', code, '--state']

    const refused = await run(...args, nowhere)
    const later = await run(...args, join(await folder(), 'device.json'))

    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("Can't write")
    expect(later.code).toBe(0)
  })

  it('second-factor device activate does not overwrite a file of another kind', async () => {
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

  it('second-factor device activate does not send a code over http to another machine without --allow-insecure-http', async () => {
    const state = join(await folder(), 'device.json')

    const ended = await run('device', 'activate', '--url', 'http://192.0.2.1', '--code', 'abcdefgh23', '--state', state)

    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('--allow-insecure-http')
  })
})

describeInFullRun('second-factor device list', () => {
  it('second-factor device list prints JSON without nonces and keys', async () => {
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

  it('second-factor device list prints notices of changed factors, and keeps them in the inbox', async () => {
    const { service, state, userId } = await activated()
    await service.client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 60 })

    const plain = await run('device', 'list', '--state', state)
    const { stdout } = await run('device', 'list', '--json', '--state', state)

    expect(plain.stdout).toMatch(
      /New recovery codes were created for alice at Wiki \(Acme\) on [\d-]+ [\d:]+ UTC\. Wasn't you\? Contact your administrator\./,
    )
    expect(JSON.parse(stdout).notices).toMatchObject([{ kind: 'codes_made', domain: { name: 'Wiki' } }])
  })

  it('second-factor device list does not print control characters in texts from others', async () => {
    const { service, state } = await activated()
    await add(service, state, 'mallory\u202e')

    const { stdout } = await run('device', 'list', '--state', state)

    expect(stdout).toContain('mallory\ufffd')
  })
})

describe('second-factor device approve', () => {
  inFullRun('second-factor device approve approves the only pending session with its number', async () => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { numberMatching: true })

    const ended = await run('device', 'approve', '--number', session.number!, '--state', state)

    expect(ended).toMatchObject({ code: 0, stdout: `Approved  ${session.id}\n`, stderr: '' })
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  inFullRun('second-factor device approve takes the text of the web page’s code in place of the number', async () => {
    const { service, state } = await activated()
    const { id: sessionId, scanSecret: secret = '' } = await service.ask('alice', { numberMatching: true })
    const approve = (session: string) =>
      run('device', 'approve', '--number', scanCodeText({ sessionId: session, secret }), '--state', state)

    const other = await approve('0'.repeat(40))
    const own = await approve(sessionId)

    expect(other).toMatchObject({
      code: 1,
      stderr: 'That is not the code of this request. It is on the sign-in page.\n',
    })
    expect(own).toMatchObject({ code: 0, stdout: `Approved  ${sessionId}\n`, stderr: '' })
  })

  it('second-factor device approve fails when the numbers do not match', async () => {
    const { service, state } = await activated()
    await service.ask('alice', { numberMatching: true })

    const ended = await run('device', 'approve', '--number', '00', '--state', state)

    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "The numbers didn't match. Start again on the web page.\n",
    })
  })

  inFullRun(
    'second-factor device approve prints the command to use when a number is required without a terminal',
    async () => {
      const { service, state } = await activated()
      const session = await service.ask('alice', { numberMatching: true })

      const ended = await run('device', 'approve', '--state', state)

      expect(ended.code).toBe(2)
      expect(ended.stderr).toContain(`second-factor device approve ${session.id} --number NN --state ${state}`)
      expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
    },
  )

  it('second-factor device approve exits with 3 when no request is pending', async () => {
    const { state } = await activated()

    const ended = await run('device', 'approve', '--state', state)

    expect(ended.code).toBe(3)
    expect(ended.stderr).toMatch(/^No request is pending\. /)
  })

  inFullRun(
    'second-factor device approve requires an id when several requests are pending, and accepts the beginning of it',
    async () => {
      const { service, state } = await activated()
      const firstRequest = await service.ask('alice')
      const otherRequest = await service.ask('alice')

      const unnamed = await run('device', 'approve', '--state', state)
      const named = await run('device', 'approve', firstRequest.id.slice(0, 12), '--state', state)

      expect(unnamed.code).toBe(2)
      expect(unnamed.stderr).toContain(firstRequest.id)
      expect(unnamed.stderr).toContain(otherRequest.id)
      expect(named.code).toBe(0)
      expect(await service.state(otherRequest.id)).toMatchObject({ state: 'pending' })
    },
  )
})

describe('second-factor device deny and report', () => {
  it.each([
    ['deny', 'user_denied'],
    ['report', 'reported'],
  ])('second-factor device %s denies the only pending session, with its own reason', async (command, reason) => {
    const { service, state } = await activated()
    const session = await service.ask('alice', { numberMatching: true })

    const ended = await run('device', command, '--state', state)

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason })
  })

  inFullRun('second-factor device report prints how many requests it has blocked', async () => {
    const { service, state } = await activated()
    const [firstRequest, otherRequest] = [await service.ask('alice'), await service.ask('alice')]

    const { stdout } = await run('device', 'report', firstRequest.id, '--state', state)

    expect(stdout).toContain('2 requests blocked.\nNew requests are paused for 15 minutes.')
    expect(await service.state(otherRequest.id)).toMatchObject({ state: 'denied', reason: 'reported' })
  })
})

describeInFullRun('second-factor device watch', () => {
  it('second-factor device watch prints each request as it arrives, and the command that approves it', async () => {
    const { service, state } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting for requests: alice at Wiki \(Acme\)/)

    const session = await service.ask('alice', { numberMatching: true, ipAddress: '203.0.113.7' })
    await watching.printed(/To approve/)
    watching.stop()
    const ended = await watching.ended

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/From +203\.0\.113\.7 \(unverified\)/)
    expect(ended.stdout).toContain(`second-factor device approve ${session.id} --number NN`)
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it('second-factor device watch prints a changed factor at once', async () => {
    const { service, state, userId } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting for requests/)

    await service.client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 60 })
    await watching.printed(/New recovery codes were created for alice at Wiki/)
    watching.stop()

    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('second-factor device watch --approve approves only requests without a number', async () => {
    const { service, state } = await activated()
    const watching = start('device', 'watch', '--approve', '--state', state)
    await watching.printed(/Waiting/)

    const matched = await service.ask('alice', { numberMatching: true })
    await watching.printed(/A number is required/)
    const plain = await service.ask('alice')
    await watching.printed(/Approved/)
    watching.stop()
    await watching.ended

    expect(await service.state(plain.id)).toMatchObject({ state: 'approved' })
    expect(await service.state(matched.id)).toMatchObject({ state: 'pending' })
  })

  it('second-factor device watch ends when its only account was removed', async () => {
    const { service, state, userId } = await activated()
    const watching = start('device', 'watch', '--state', state)
    await watching.printed(/Waiting/)

    await service.client.tokens.revoke(service.domainId, userId)
    const ended = await watching.ended

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('Your organization removed this account.')
  })
})

describe('second-factor device', () => {
  it('the help of each second-factor device command lists exit codes and two examples', () => {
    const helps = deviceCommand().commands.map((command) => {
      let text = ''
      command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
      return text
    })

    expect(helps).toHaveLength(12)
    for (const help of helps) {
      expect(help.match(/^ {2}\$ second-factor device /gm)).toHaveLength(2)
      expect(help).toContain('Exit codes:')
    }
  })

  it('second-factor device exits with 2 after a usage error', async () => {
    const ended = await run('device', 'list')

    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('--state')
  })

  inFullRun('second-factor device says in one line that the service is not responding', async () => {
    const { service, state } = await activated()
    service.breakConnections()

    const ended = await run('device', 'list', '--state', state)

    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe("The service isn't responding. Check the address and the connection, then try again.\n")
  })
})
