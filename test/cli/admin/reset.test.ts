import { beforeEach, describe, expect, it } from 'vitest'

import { useDatabase } from './run-command.ts'

const { admin, json } = useDatabase()

beforeEach(async () => {
  const alice = ['alice', '--name', 'Alice Doe', '--email', 'alice@example.com']
  await admin('user', 'create', ...alice, '--domain', 'Intranet')
  await admin('bypass', 'create', 'alice')
  await admin('token', 'issue', 'alice', '--domain', 'Intranet')
})

describe('second-factor user reset', () => {
  it('takes all away, and lets a first factor be set up again', async () => {
    const before = await json('user', 'show', 'alice')

    const { stdout, code } = await admin('user', 'reset', 'alice', '--yes')

    expect(before).toMatchObject({ everEnrolled: true, bypasscodes: [expect.any(String)] })
    expect([stdout, code]).toEqual(['"alice" has no factor any more, and sets up a first one next time.\n', 0])
    expect(await json('user', 'show', 'alice')).toMatchObject({ everEnrolled: false, bypasscodes: [] })
    expect((await admin('token', 'show', 'alice', '--domain', 'Intranet')).code).toBe(1)
  })

  it('does so only when it is told to, as from then on the password is enough', async () => {
    const before = await json('user', 'show', 'alice')

    const { stderr, code } = await admin('user', 'reset', 'alice')

    expect([code, stderr]).toEqual([2, expect.stringMatching(/whose password is then enough\. Say --yes/)])
    expect(await json('user', 'show', 'alice')).toEqual(before)
  })

  it('says for scripts whom, and stands in the trail with all that ended', async () => {
    const { id } = await json('user', 'show', 'alice')

    const done = await json('user', 'reset', 'alice', '--yes')

    expect(done).toEqual({ user: id })
    const trail: { event: string }[] = await json('audit', 'list', '--user', id)
    expect(trail.map(({ event }) => event).slice(-3)).toEqual(['token.revoked', 'bypass.all_deleted', 'user.reset'])
  })

  it('does nothing about who is not there', async () => {
    expect((await admin('user', 'reset', 'nobody', '--yes')).code).toBe(1)
  })
})
