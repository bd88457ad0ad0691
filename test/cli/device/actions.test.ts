import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { maxContentLength } from '../../../src/contract/approval-facts.ts'
import { Approval, type NewApproval } from '../../../src/contract/approvals.ts'
import { approveAction, promptForAction } from '../../../src/cli/device/answer-action.ts'
import { contentLines, type PendingAction, printAction, requesterName } from '../../../src/cli/device/print-action.ts'
import { saveAccounts } from '../../../src/cli/device/state-file.ts'
import { watch } from '../../../src/cli/device/watch.ts'
import { createDevice } from '../../../src/device/device.ts'
import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { type RunningServiceOptions, startService } from '../../support/running-service.ts'
import { v14 } from '../../service/start-service.ts'
import { run, runWith } from '../admin/run-command.ts'

afterEach(() => vi.restoreAllMocks())

const transfer = { title: 'Transfer €250.00', details: [{ label: 'To', value: 'DE89 3704 0044 0532 0130 00' }] }

/** A service, and a state file with alice's account. */
async function activated(options: RunningServiceOptions = {}, pin?: string) {
  const service = await startService(options)
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const state = join(folder, 'device.json')
  const device = createDevice({ extractableKeys: true })
  const { code } = await service.enroll('alice')
  const account = await device.activate(service.url, code, { name: 'Test', ...(pin !== undefined && { pin }) })
  await saveAccounts(state, [account])
  const call = async (path: string, body?: object): Promise<Approval> => {
    const response = await fetch(`${service.url}/api/domains/${service.domainId}/approvals${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Service key="${service.apiKey}"`, accept: v14, 'content-type': v14 },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return Approval.parse(JSON.parse(text))
  }
  return {
    service,
    device,
    account,
    state,
    /** Others who are asked need a device. */
    addDevice: async (username: string) => {
      const { code: otherCode } = await service.enroll(username)
      await device.activate(service.url, otherCode, { name: 'Test' })
    },
    command: (...args: readonly string[]) => run('device', ...args, '--state', state),
    askFor: (more: Partial<NewApproval> = {}) => call('', { user: { username: 'alice' }, ...transfer, ...more }),
    get: (id: string) => call(`/${id}`),
    /** The newest action, as the device gets it. */
    pending: async (): Promise<PendingAction> => ({
      account,
      approval: (await device.requests(account)).approvals![0]!,
    }),
  }
}

/** A person who types these lines. @param delay How long after each question, ms. */
function atTerminal(lines: readonly string[], delay = 500) {
  const linesLeft = [...lines]
  let now = 0
  const askPerson = async () => {
    now += delay
    return linesLeft.shift()
  }
  return { state: 'device.json', end: new AbortController().signal, askPerson, now: () => now }
}

describe('second-factor device list, with an action', () => {
  inFullRun('second-factor device list prints all of an action', async () => {
    const { askFor, command } = await activated()
    const { id } = await askFor({ requestedBy: 'deploy-bot', numberMatching: true })

    const { stdout } = await command('list')

    expect(stdout).toMatch(new RegExp(`^Approve this\\?\nAction +${id}\n`, 'm'))
    expect(stdout).toMatch(/^App +Wiki\nAccount +alice at Wiki \(Acme\)\nAsked by +deploy-bot \(not confirmed\)\n/m)
    expect(stdout).toMatch(/^Expires +.*, in \d+ (?:seconds|minutes)\nNumber +2 digits, shown on the web page\n/m)
    expect(stdout).toContain('| Transfer €250.00\n| To\n|   DE89 3704 0044 0532 0130 00\n')
    expect(stdout).not.toMatch(/Sign-in/)
  })

  it('second-factor device list prints invisible and direction characters of an action by their numbers', async () => {
    const { askFor, command } = await activated()
    await askFor({ title: 'Pay \u202eanna\u200b', details: [{ label: 'T\u2066o', value: 'a\u00adb' }] })

    const { stdout } = await command('list')

    expect(stdout).toContain('| Pay <U+202E>anna<U+200B>\n| T<U+2066>o\n|   a<U+00AD>b\n')
  })

  inFullRun('second-factor device list warns of a word that mixes alphabets', async () => {
    const { askFor, command } = await activated()
    await askFor({ title: 'Pay р\u0430ypal' })

    expect((await command('list')).stdout).toMatch(/^Warning +a word mixes alphabets$/m)
  })

  inFullRun('second-factor device list prints how many people have to approve, if more than one', async () => {
    const { service, addDevice, askFor, command } = await activated()
    await addDevice('ben')
    const { userId } = await service.enroll('cem')
    await askFor({ user: undefined, approvers: ['alice', 'ben'], needed: 2, requestedBy: userId })

    const { stdout } = await command('list')

    expect(stdout).toMatch(/^Asked by +cem \(cem\) \(user\)\nNeeds +2 people who approve$/m)
  })

  inFullRun('second-factor device list --json prints the content of actions, without nonces', async () => {
    const { askFor, command } = await activated()
    const { id, content } = await askFor()

    const { json, stdout } = await command('list', '--json')

    expect(json.approvals).toMatchObject([{ id, content, numberLength: 0 }])
    expect(stdout).not.toContain('nonce')
  })
})

describe('the lines of an action', () => {
  it('no value of an action can look like a fact of the service, however the terminal wraps it', () => {
    const value = `${' '.repeat(37)}Asked by  You, in Wiki`

    const lines = contentLines({ title: 'x'.repeat(120), details: [{ label: 'To', value }] }, 40)

    for (const line of lines) expect(line).toMatch(/^\| .{1,38}$/)
    expect(lines.slice(-3)).toEqual(['| To', `|   ${' '.repeat(36)}`, `|    Asked by  You, in Wiki`])
  })

  it('an action of wide characters is wrapped before the terminal would wrap it', () => {
    const lines = contentLines({ title: '\u4e2d'.repeat(40), details: [] }, 40)

    expect(Math.max(...lines.map((line) => line.length))).toBe(2 + 18)
  })

  it('no user can have a name that looks like the person themselves', () => {
    const names = (['self', 'user', 'app'] as const).map((kind) =>
      requesterName({ kind, name: 'You, in Wiki' }, 'Wiki'),
    )

    expect(names).toEqual(['You, in Wiki', 'You, in Wiki (user)', 'You, in Wiki (not confirmed)'])
  })
})

describe('second-factor device approve, with an action', () => {
  inFullRun('second-factor device approve prints an action and signs it', async () => {
    const { askFor, command, get } = await activated()
    const { id } = await askFor({ requestedBy: 'deploy-bot' })

    const ended = await command('approve', id.slice(0, 12))

    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(new RegExp(`\\| Transfer €250\\.00\n[^]*\nApproved {2}${id}\n$`))
    expect(await get(id)).toMatchObject({ state: 'approved', approvers: [{ decision: 'approve' }] })
  })

  it.each([[[]], [['12']]])('second-factor device approve signs no action without its id: %j', async (args) => {
    const { askFor, command, get } = await activated()
    const { id } = await askFor()

    const ended = await command('approve', ...(args.length > 0 ? [id.slice(0, 2)] : []))

    expect(ended.code).toBe(2)
    expect(await get(id)).toMatchObject({ state: 'pending' })
  })

  it('second-factor device approve answers the sign-in, not an action beside it', async () => {
    const { service, askFor, command, get } = await activated()
    const session = await service.ask('alice')
    const { id } = await askFor()

    expect(await command('approve')).toMatchObject({ code: 0, stdout: `Approved  ${session.id}\n` })

    expect(await get(id)).toMatchObject({ state: 'pending' })
  })

  inFullRun('second-factor device approve asks for the number of an action, and sends it', async () => {
    const { askFor, command, get, state } = await activated()
    const { id, number = '' } = await askFor({ numberMatching: true })

    const without = await command('approve', id)
    const ended = await command('approve', id, '--number', number)

    expect(without).toMatchObject({ code: 2 })
    expect(without.stderr).toContain(`second-factor device approve ${id} --number NN --state ${state}`)
    expect(ended).toMatchObject({ code: 0 })
    expect(await get(id)).toMatchObject({ state: 'approved' })
  })

  inFullRun('second-factor device approve says when the number of an action was wrong', async () => {
    const { askFor, command, get } = await activated()
    const { id, number } = await askFor({ numberMatching: true })

    const ended = await command('approve', id, '--number', number === '10' ? '11' : '10')

    expect(ended).toMatchObject({ code: 1, stderr: "The numbers didn't match. Start again on the web page.\n" })
    expect(await get(id)).toMatchObject({ state: 'denied', reason: 'wrong_number' })
  })

  inFullRun('second-factor device approve reads the PIN of an action', async () => {
    const { askFor, get, state } = await activated({ domain: { keyType: 'PIN' } }, '4711')
    const { id } = await askFor()
    const approve = (pin: string) => runWith(`${pin}\n`, 'device', 'approve', id, '--pin-stdin', '--state', state)

    const wrong = await approve('4712')
    const ended = await approve('4711')

    expect(wrong.stderr).toMatch(/^Wrong PIN or passcode\. /)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(await get(id)).toMatchObject({ state: 'approved' })
  })

  inFullRun('second-factor device approve says that other people still have to approve', async () => {
    const { service, addDevice, askFor, command } = await activated()
    await addDevice('ben')
    const { userId } = await service.enroll('cem')
    const { id } = await askFor({ user: undefined, approvers: ['alice', 'ben'], needed: 2, requestedBy: userId })

    const { stdout } = await command('approve', id)

    expect(stdout).toContain(`Approved  ${id}\nOther people can still answer it.\n`)
  })

  it.each([
    ['an unknown member', (content: object) => JSON.stringify({ ...content, small: 'print' })],
    ['the id of another action', (content: object) => JSON.stringify({ ...content, approval: '0'.repeat(40) })],
    ['text that is no JSON', () => 'x'.repeat(maxContentLength)],
  ])('an action whose content has %s is not shown, and cannot be approved', async (_, changed) => {
    const { askFor, device, pending, get } = await activated()
    const print = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { id, content } = await askFor()
    const { account, approval } = await pending()
    const other = { account, approval: { ...approval, content: changed(JSON.parse(content)) } }

    printAction(other)
    const approving = approveAction(device, other, { id, state: 'device.json' })

    await expect(approving).rejects.toThrow("This version can't show the action")
    expect(print.mock.calls.flat().join('\n')).not.toContain('Transfer')
    expect(await get(id)).toMatchObject({ state: 'pending' })
  })
})

describeInFullRun('second-factor device deny and report, with an action', () => {
  it('second-factor device deny denies an action', async () => {
    const { askFor, command, get } = await activated()
    const { id } = await askFor()

    expect(await command('deny', id.slice(0, 8))).toMatchObject({ code: 0, stdout: `Denied    ${id}\n` })

    expect(await get(id)).toMatchObject({ state: 'denied', reason: 'user_denied' })
  })

  inFullRun('second-factor device report blocks the requester, and unblock allows it again', async () => {
    const { askFor, command, get } = await activated()
    const { id } = await askFor({ requestedBy: 'deploy-bot' })

    const reported = await command('report', id)
    const blocked = await command('blocks')
    const { json } = await command('blocks', '--json')
    const refused = await askFor({ requestedBy: 'deploy-bot' }).catch((error: unknown) => error)
    const lifted = await command('unblock', json.blocks[0].id.slice(0, 12))
    const after = await command('blocks')

    expect(reported.stdout).toMatch(/^Reported.*\nThis requester can't ask you for 24 hours\. .* device blocks/)
    expect(await get(id)).toMatchObject({ state: 'denied', reason: 'reported' })
    expect(blocked.stdout).toMatch(/deploy-bot \(not confirmed\) .* alice at Wiki/)
    expect(refused).toMatchObject({ message: expect.stringContaining('api.error.forbidden.requester') })
    expect(lifted.stdout).toBe('Allowed again  deploy-bot (not confirmed)\n')
    expect(after.stdout).toBe('No requester is blocked.\n')
    expect(await askFor({ requestedBy: 'deploy-bot' })).toMatchObject({ state: 'pending' })
  })

  it('second-factor device unblock says when there is no such block', async () => {
    const { command } = await activated()

    expect(await command('unblock', '3f2a91')).toMatchObject({ code: 1, stdout: '' })
  })

  inFullRun('second-factor device history shows answered actions beside sign-ins', async () => {
    const { service, askFor, command } = await activated()
    const { id } = await askFor({ title: 'Pay \u202eanna' })
    await command('approve', id)
    await service.ask('alice')
    await command('deny')
    const numbered = await askFor({ title: 'Pay bob', numberMatching: true })
    await command('approve', numbered.id, '--number', numbered.number === '10' ? '11' : '10')

    const { stdout } = await command('history')
    const { json } = await command('history', '--json')

    expect(stdout).toMatch(/Approved +Action +alice at Wiki \(Acme\) +Pay <U\+202E>anna/)
    expect(stdout).toMatch(/Denied +Sign-in/)
    expect(stdout).toMatch(/Wrong number +Action +alice at Wiki \(Acme\) +Pay bob/)
    const answers = [
      { id: numbered.id, wrongNumber: true },
      { id, decision: 'approve' },
    ]
    expect(json).toMatchObject({ entries: [{ state: 'denied' }], approvals: answers })
  })
})

describe('second-factor device watch, with an action', () => {
  it('second-factor device watch --approve prints an action as it arrives, and does not approve it', async () => {
    const { service, device, account, askFor, get } = await activated()
    const print = vi.spyOn(console, 'log').mockImplementation(() => {})
    const printed = () => print.mock.calls.flat().join('\n')
    const end = new AbortController()
    const watching = watch(device, [account], { approve: true, state: 'device.json', signal: end.signal })

    const { id } = await askFor()
    await expect.poll(printed).toContain('To approve')
    await service.ask('alice')
    await expect.poll(printed).toContain('Approved')
    end.abort()
    await watching

    expect(printed()).toContain(
      `|   DE89 3704 0044 0532 0130 00\nTo approve: second-factor device approve ${id} --state`,
    )
    expect(await get(id)).toMatchObject({ state: 'pending' })
  })

  inFullRun.each([
    [['approve'], 'approved'],
    [['deny'], 'denied'],
    [['report'], 'denied'],
    [['prove', ''], 'pending'],
  ])('typing %j at the prompt of device watch leaves an action %s', async (lines, expected) => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { askFor, device, pending, get } = await activated()
    const { id } = await askFor()
    await promptForAction(device, await pending(), atTerminal(lines))

    expect(await get(id)).toMatchObject({ state: expected })
  })

  inFullRun('typing approve for an action that cannot be shown sends nothing', async () => {
    const { askFor, device, pending, get } = await activated()
    const { id } = await askFor()
    const { account, approval } = await pending()

    await promptForAction(device, { account, approval: { ...approval, content: '{}' } }, atTerminal(['approve', '']))

    expect(await get(id)).toMatchObject({ state: 'pending' })
  })

  it('an answer that was typed before an action was shown does not answer it', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { askFor, device, pending, get } = await activated()
    const { id } = await askFor()

    await promptForAction(device, await pending(), atTerminal(['approve', 'report', ''], 499))

    expect(await get(id)).toMatchObject({ state: 'pending' })
  })
})
