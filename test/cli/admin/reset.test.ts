import { beforeEach, describe, expect, it } from 'vitest'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { admin, json } = useDatabase()

beforeEach(async () => {
  const alice = ['alice', '--name', 'Alice Doe', '--email', 'alice@example.com']
  await admin('user', 'create', ...alice, '--domain', 'Intranet')
  await admin('bypass', 'create', 'alice')
  await admin('token', 'issue', 'alice', '--domain', 'Intranet')
})

describe('second-factor user reset', () => {
  it('second-factor user reset removes all factors, and allows a first factor again', async () => {
    const userBefore = await json('user', 'show', 'alice')

    const { stdout, code } = await admin('user', 'reset', 'alice', '--yes')

    expect(userBefore).toMatchObject({ everEnrolled: true, bypasscodes: [expect.any(String)] })
    expect([stdout, code]).toEqual([
      '"alice" no longer has any factors, and sets up a first one at the next sign-in.\n',
      0,
    ])
    expect(await json('user', 'show', 'alice')).toMatchObject({ everEnrolled: false, bypasscodes: [] })
    expect((await admin('token', 'show', 'alice', '--domain', 'Intranet')).code).toBe(1)
  })

  inFullRun('second-factor user reset needs --yes, because the password alone is enough afterwards', async () => {
    const userBefore = await json('user', 'show', 'alice')

    const { stderr, code } = await admin('user', 'reset', 'alice')

    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/can then sign in with the password alone\. To confirm, add --yes/),
    ])
    expect(await json('user', 'show', 'alice')).toEqual(userBefore)
  })

  inFullRun(
    'second-factor user reset prints the user as JSON, and records everything that it ended in the audit trail',
    async () => {
      const { id } = await json('user', 'show', 'alice')

      const done = await json('user', 'reset', 'alice', '--yes')

      expect(done).toEqual({ user: id })
      const trail: { event: string }[] = await json('audit', 'list', '--user', id)
      expect(trail.map(({ event }) => event).slice(-3)).toEqual(['token.revoked', 'bypass.all_deleted', 'user.reset'])
    },
  )

  inFullRun('second-factor user reset rejects an unknown user', async () => {
    expect((await admin('user', 'reset', 'nobody', '--yes')).code).toBe(1)
  })
})
