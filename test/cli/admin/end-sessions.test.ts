import { describe, expect, it } from 'vitest'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { admin, json } = useDatabase()

describe('second-factor user end-sessions', () => {
  inFullRun('second-factor user end-sessions changes the epoch of the user, and explains the effect', async () => {
    await admin('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')
    const { id, epoch } = await json('user', 'show', 'alice')

    const { code, stdout } = await admin('user', 'end-sessions', 'alice')

    expect([code, epoch]).toEqual([0, id])
    expect(stdout).toContain('"alice" must pass the second step again')
    expect((await json('user', 'show', 'alice')).epoch).not.toBe(epoch)
  })

  it('second-factor user end-sessions rejects an unknown user', async () => {
    expect((await admin('user', 'end-sessions', 'nobody')).code).toBe(1)
  })
})
