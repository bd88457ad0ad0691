import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import {
  administrator,
  callConsole,
  consoleBrowser,
  inviteAt,
  startConsole,
} from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { inFullRun } from '../support/full-run.ts'

let folder: string
let running: Console

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-lockout-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})
// The clock stands still in a test, so all requests of a test arrive within one second.
beforeEach(() => running.clock.skip(600))

const owner = () => administrator(running, { role: 'owner' })
const options = () => callConsole(running, 'POST', '/sign-in/options')
const wrongToken = 'w'.repeat(43)

/** Sends what needs no credential, until the address is refused. */
async function flood(): Promise<readonly (string | undefined)[]> {
  const { authenticator } = consoleBrowser(running)
  authenticator.make(
    (
      await callConsole(running, 'POST', '/registration/options', {
        body: { token: await inviteAt(running, { role: 'owner' }) },
      })
    ).json.options,
  )
  const codes: (string | undefined)[] = []
  for (let count = 0; count < 40; count += 1) {
    const response = authenticator.use((await options()).json, {}, authenticator.credentials[0])
    const signIn = await callConsole(running, 'POST', '/sign-in', { body: { response } })
    const registration = await callConsole(running, 'POST', '/registration/options', { body: { token: wrongToken } })
    codes.push(signIn.code, registration.code)
  }
  return codes
}

describe('an attacker without any credential, at the address of an administrator', () => {
  it('console requests without a credential are refused after 20 from one address in a second', async () => {
    const codes = await flood()

    expect(codes.slice(0, 20)).not.toContain('api.error.toomanyrequests')
    expect(new Set(codes.slice(20))).toEqual(new Set(['api.error.toomanyrequests']))
  })

  it('a flood of requests without a credential keeps no administrator from signing in', async () => {
    const { call, signIn, state } = await owner()
    await call('DELETE', '/session')
    state.cookie = undefined
    await flood()

    expect((await signIn()).status).toBe(200)
  })

  it('a flood of requests without a credential keeps no administrator from confirming a change or adding a passkey', async () => {
    const { confirm, addPasskey } = await owner()
    await flood()

    expect([(await confirm()).status, (await addPasskey()).status]).toEqual([200, 200])
  })

  it('a flood of requests without a credential keeps no one from accepting an invitation', async () => {
    const token = await inviteAt(running, { role: 'owner' })
    await flood()

    expect((await consoleBrowser(running).register(token)).status).toBe(200)
  })

  inFullRun(
    'a flood of requests without a credential keeps no one from learning that a session has ended',
    async () => {
      await flood()

      expect((await callConsole(running, 'GET', '/session')).status).toBe(401)
    },
  )

  it('a flood of requests without a credential stores nothing: only the challenge of a right answer is stored', async () => {
    const { signIn } = await owner()
    const rows = async () => {
      const { db } = running.ctx.store
      const tables = [db.selectFrom('administratorCeremony'), db.selectFrom('attempt')] as const
      return (await Promise.all(tables.map((table) => table.selectAll().execute()))).map(({ length }) => length)
    }
    const rowsBefore = await rows()

    await flood()
    const rowsAfter = await rows()
    await signIn()

    expect(rowsAfter).toEqual(rowsBefore)
    expect(await rows()).toEqual([rowsBefore[0]! + 1, rowsBefore[1]])
  })
})

describe('a challenge of the console', () => {
  it('a console challenge confirms nothing in another session of the same administrator', async () => {
    const { call, signIn, state, authenticator } = await owner()
    const other = state.cookie
    state.cookie = undefined
    await signIn()
    const started = await callConsole(running, 'POST', '/confirmation/options', { cookie: other })
    const response = authenticator.use(started.json, {}, authenticator.credentials[0])

    const refused = await call('POST', '/confirmation', { body: { response } })
    const accepted = await callConsole(running, 'POST', '/confirmation', { cookie: other, body: { response } })

    expect([refused.status, accepted.status]).toEqual([400, 200])
  })

  it('a console challenge that was made for a confirmation signs no one in', async () => {
    const { call, authenticator } = await owner()
    const started = await call('POST', '/confirmation/options')
    const response = authenticator.use(started.json, {}, authenticator.credentials[0])

    expect((await callConsole(running, 'POST', '/sign-in', { body: { response } })).status).toBe(400)
  })

  it('a console challenge confirms only once', async () => {
    const { call, authenticator } = await owner()
    const response = authenticator.use(
      (await call('POST', '/confirmation/options')).json,
      {},
      authenticator.credentials[0],
    )

    const answers = [1, 2].map(() => call('POST', '/confirmation', { body: { response } }))

    expect((await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  })

  it('a used console challenge does not add a removed passkey again', async () => {
    const { call, authenticator } = await owner()
    const response = authenticator.make((await call('POST', '/passkeys/options')).json)
    const body = { response, name: 'Key' }
    const added = await call('POST', '/passkeys', { body })
    await call('DELETE', `/passkeys/${added.json.id}`)

    const secondAnswer = await call('POST', '/passkeys', { body })

    const { json: passkeys } = await call('GET', '/passkeys')

    expect([added.status, secondAnswer.status, secondAnswer.code]).toEqual([200, 409, 'api.error.conflict.state'])
    expect(passkeys.map(({ id }: { id: string }) => id)).not.toContain(added.json.id)
  })
})
