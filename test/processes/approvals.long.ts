import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { createDevice } from '../../src/device/device.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { command, serve } from './command.ts'

/** `second-factor serve` with a person who has a device, and the commands of an app beside it. */
async function arrange() {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-ask-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'mfa.sqlite')
  const admin = async (...args: string[]) => (await command([...args, '--database', database, '--json'])).json
  const { apiKey, domainId } = await admin('init', '--domain', 'Intranet')
  await admin('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')
  const { code } = await admin('token', 'issue', 'alice', '--domain', 'Intranet')
  const service = await serve(database)
  onTestFinished(() => service.kill())
  const device = createDevice({ clock: systemClock })
  const account = await device.activate(service.origin, code, { name: 'Test' })
  const baseUrl = `${service.origin}/api`
  const env = { MFA_BASE_URL: baseUrl, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domainId }
  const { approvals } = createClient({ baseUrl, apiKey })
  return {
    service,
    file: (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    },
    read: (path: string) => readFileSync(path, 'utf8'),
    list: async () => (await approvals.list(domainId)).approvals,
    run: (...args: string[]) => command(args, env),
    /** Starts `second-factor ask`, and resolves once the person is asked. */
    ask: async (title: string) => {
      const asking = command(['ask', '--user', 'alice', '--title', title], env)
      await asking.printed(/Waiting/)
      // Not awaited by the caller of this function, but by the test.
      return { asking }
    },
    pending: async () => (await device.requests(account)).approvals ?? [],
    answer: async (decision: 'approve' | 'deny') => {
      const [approval] = (await device.requests(account)).approvals ?? []
      await device.answerApproval(account, approval!, { decision })
    },
  }
}

describe('second-factor ask as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'second-factor ask cancels the approval on %s, says so, and exits with 3',
    async (signal) => {
      const { ask, pending, list } = await arrange()
      const { asking } = await ask('Deploy 4.2')
      const before = (await pending()).length

      asking.signal(signal)
      const interrupted = await asking

      expect([before, await pending()]).toEqual([1, []])
      expect(interrupted).toMatchObject({ code: 3, stdout: '' })
      expect(interrupted.stderr).toMatch(/Ctrl-C cancels it\.\nCanceled\.\n$/)
      expect(await list()).toMatchObject([{ state: 'cancelled' }])
    },
  )

  it('second-factor ask that cannot cancel on Ctrl-C says until when people can answer, and exits with 3', async () => {
    const { service, ask } = await arrange()
    const { asking } = await ask('Deploy 4.2')
    service.kill()
    await service.ended

    asking.signal('SIGINT')
    const interrupted = await asking

    expect(interrupted).toMatchObject({ code: 3, stdout: '' })
    expect(interrupted.stderr).toMatch(/\nNot canceled: people can answer until .+ The service isn't responding\./)
  })
})

describe('second-factor proof as a process', () => {
  it('second-factor proof verify accepts without a service what proof export has written, and refuses a changed line', async () => {
    const { service, run, ask, answer, file, read } = await arrange()
    for (const [title, decision] of [
      ['Deploy 4.2', 'approve'],
      ['Deploy 4.3', 'approve'],
      ['Drop the tables', 'deny'],
    ] as const) {
      const { asking } = await ask(title)
      await answer(decision)
      expect((await asking).code).toBe(decision === 'approve' ? 0 : 1)
    }
    const trust = file('trust.json', (await run('proof', 'keys')).stdout)
    const exported = await run('proof', 'export')
    await service.stop()

    const [first = '', second = '', denied = ''] = exported.stdout.trimEnd().split('\n')
    const verify = (name: string, lines: readonly string[], ...args: string[]) =>
      run('proof', 'verify', file(name, `${lines.join('\n')}\n`), '--trust', trust, ...args)
    const approved = await verify('approved.jsonl', [first, second])
    const all = await verify('all.jsonl', [first, second, denied])
    const anyOutcome = await verify('all.jsonl', [first, second, denied], '--any-outcome')
    // The content that is shown, and not the one that was signed.
    const { answer: signed, receipt } = JSON.parse(first).approvers[0].proof
    const other = JSON.parse(second)
    other.approvers[0].proof = { answer: signed, receipt }
    const changed = await verify('changed.jsonl', [first, JSON.stringify(other)], '--json')

    expect(read(trust)).toContain('"keys"')
    expect([exported.code, approved.code, all.code, anyOutcome.code, changed.code]).toEqual([0, 0, 1, 0, 1])
    expect(approved.stdout).toContain('2 valid approvals, 0 invalid.')
    expect(all.stdout).toContain('2 valid approvals, 1 invalid.')
    expect(changed.json).toMatchObject([{ valid: true }, { valid: false }])
  })

  it('second-factor proof export says what failed, and exits with 1, where no service responds', async () => {
    const { service, run } = await arrange()
    await service.stop()

    const failed = await run('proof', 'export')

    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^The service isn't responding\./)
  })
})
