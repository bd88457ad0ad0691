import { describe, expect, it } from 'vitest'

import { withService } from '../../../src/cli/admin/local-service.ts'
import { createUser } from '../../../src/contract/users.ts'
import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

const alice = ['user', 'create', 'alice', '--name', 'Alice Doe', '--email', 'alice@example.com']

describe('second-factor user', () => {
  it('second-factor user creates a user, optionally in a domain', async () => {
    const created = await json(...alice)
    const member = await json(
      'user',
      'create',
      'bob',
      '--name',
      'Bob',
      '--email',
      'b@example.com',
      '--domain',
      'intranet',
    )

    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      username: 'alice',
      name: 'Alice Doe',
      email: 'alice@example.com',
      domains: [],
      hardware: '',
      bypasscodes: [],
      factors: [],
      passkeys: [],
      passkeyDetails: [],
      everEnrolled: false,
      hadBypassCodes: false,
      importState: 'open',
      epoch: expect.any(String),
      knownBrowsers: 0,
    })
    expect(member.domains).toEqual([place.domainId])
  })

  inFullRun('second-factor user creates no user when the domain does not exist', async () => {
    const { code } = await admin(...alice, '--domain', 'None')

    expect(code).toBe(1)
    expect(await json('user', 'list')).toEqual([])
  })

  inFullRun('second-factor user show prints one fact per line', async () => {
    const { id } = await json(...alice, '--domain', 'Intranet')

    const { stdout } = await admin('user', 'show', 'alice')

    expect(stdout.split('\n')).toEqual([
      'Username        alice',
      `Id              ${id}`,
      'Name            Alice Doe',
      'E-mail          alice@example.com',
      'Domains         Intranet',
      'Factors         none',
      'Hardware token  none',
      'Passkeys        none',
      'Bypass codes    0',
      'Ever enrolled   no',
      'Known browsers  0',
      '',
    ])
  })

  inFullRun('second-factor user lists users of the organization or of a domain, beyond the first page', async () => {
    await withService({ database: place.database }, async ({ call }) => {
      for (let each = 0; each < 100; each += 1) {
        await call(createUser, { body: { username: `user-${each}`, name: 'U', email: 'u@example.com' } })
      }
    })
    await admin(...alice, '--domain', 'Intranet')

    expect(await json('user', 'list')).toHaveLength(101)
    expect(await json('user', 'list', '--domain', 'Intranet')).toMatchObject([{ username: 'alice' }])
  })

  inFullRun.each([
    ['an invalid e-mail address', ['--name', 'Alice', '--email', 'alice'], '--email'],
    ['an empty name', ['--name', '', '--email', 'a@example.com'], '--name'],
  ])('second-factor user create refuses %s and names the option', async (_what, options, option) => {
    const { stderr, code } = await admin('user', 'create', 'alice', ...options)

    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`^${option}: must .+\\. See: second-factor user create --help\\n$`))
  })

  inFullRun('second-factor user does not confuse a username with the id of another user', async () => {
    const { id } = await json(...alice)
    await admin('user', 'create', id, '--name', 'Trap', '--email', 't@example.com')

    const { stderr, code } = await admin('user', 'delete', id, '--yes')

    expect(code).toBe(2)
    expect(stderr).toContain('matches more than one user')
    expect(await json('user', 'list')).toHaveLength(2)
  })

  inFullRun('second-factor user does not match a username in another case', async () => {
    await admin(...alice)

    expect((await admin('user', 'show', 'Alice')).code).toBe(1)
  })

  inFullRun(
    'second-factor user needs --yes to delete a user, or remove one from a domain, without a terminal',
    async () => {
      await admin(...alice, '--domain', 'Intranet')

      const refused = [
        await admin('user', 'delete', 'alice'),
        await admin('user', 'leave', 'alice', '--domain', 'Intranet'),
      ]

      expect(refused.map(({ code }) => code)).toEqual([2, 2])
      expect(refused[0]!.stderr).toContain('--yes')
      expect(await json('user', 'show', 'alice')).toMatchObject({ domains: [place.domainId] })

      await admin('user', 'leave', 'alice', '--domain', 'Intranet', '--yes')
      expect(await json('user', 'show', 'alice')).toMatchObject({ domains: [] })
      await admin('user', 'join', 'alice', '--domain', 'Intranet')
      expect(await json('user', 'show', 'alice')).toMatchObject({ domains: [place.domainId] })
      await admin('user', 'delete', 'alice', '--yes')
      expect(await json('user', 'list')).toEqual([])
    },
  )
})

describeInFullRun('second-factor token', () => {
  it('second-factor token issues a token once, shows it, and revokes it', async () => {
    await admin(...alice, '--domain', 'Intranet')
    const target = ['alice', '--domain', 'Intranet']

    const issued = await json('token', 'issue', ...target)
    const secondIssue = await json('token', 'issue', ...target)
    const { stdout } = await admin('token', 'show', ...target)
    const unasked = await admin('token', 'revoke', ...target)
    const revoked = await admin('token', 'revoke', ...target, '--yes')
    const gone = await admin('token', 'revoke', ...target, '--yes')

    expect(issued).toEqual({ state: 'pending', code: expect.stringMatching(/^[a-z0-9]{10}$/) })
    expect(secondIssue).toEqual(issued)
    expect(stdout).toContain(`Activation code  ${issued.code}\n`)
    expect([unasked.code, revoked.code, gone.code]).toEqual([2, 0, 1])
    expect(gone.stderr).toBe('The user has no token in this domain. Issue one: second-factor token issue\n')
  })

  it('second-factor token issues tokens to members only, and says how to add a member', async () => {
    await admin(...alice)

    const { stderr, code } = await admin('token', 'issue', 'alice', '--domain', 'Intranet')

    expect(code).toBe(1)
    expect(stderr).toBe('"alice" does not belong to "Intranet". See: second-factor user join --help\n')
  })
})
