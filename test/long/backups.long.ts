import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'

import { command, serve } from '../processes/command.ts'
import { createCall, newUser } from '../service/start-service.ts'

/** The number of backups, each of which is restored. */
const times = Number(process.env.BACKUPS ?? 50)

type Call = ReturnType<typeof createCall>

it(
  `${times} backups under load contain every change acknowledged before, and no code used before a restore works after it`,
  { timeout: times * 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-backups-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = join(folder, 'mfa.sqlite')
    const { domainId, apiKey } = (await command(['init', '--database', database, '--json'])).json
    const problems: string[] = []
    let service = await serve(database)
    onTestFinished(() => service.kill())

    for (let round = 0; round < times; round += 1) {
      const load = startLoad(createCall(service.origin, apiKey), domainId)
      await load.more(20)
      const { users, unused } = load.acknowledged()
      const file = join(folder, `${round}.backup`)
      const { code } = await command(['backup', file, '--database', database])
      if (code !== 0) problems.push(`backup ${round} ended with ${code}`)
      problems.push(...missing(file, users))
      const signIn = createSignIn(createCall(service.origin, apiKey), domainId)
      for (const issuedCode of unused)
        if (!(await signIn(issuedCode))) problems.push(`code ${issuedCode.code} of round ${round} did not work`)
      await load.more(5)
      await load.stop()
      const { used } = load.acknowledged()
      await service.stop()

      const restored = await command(['restore', file, '--database', database, '--yes'])
      if (restored.code !== 0) problems.push(`restore ${round} ended with ${restored.code}: ${restored.stderr}`)
      service = await serve(database)
      const signInAgain = createSignIn(createCall(service.origin, apiKey), domainId)
      for (const issuedCode of [...unused, ...used]) {
        if (await signInAgain(issuedCode))
          problems.push(`code ${issuedCode.code} was used before restore ${round} and accepted after it`)
      }
      rmSync(file)
    }
    const checked = await command(['check', '--database', database])

    expect(problems).toEqual([])
    expect(checked.code).toBe(0)
  },
)

interface Given {
  readonly user: string
  readonly code: string
}

const createSignIn =
  (call: Call, domainId: string) =>
  async ({ user, code }: Given): Promise<boolean> => {
    const body = { user: { id: user }, bypasscode: code }
    const { json } = await call('POST', `/domains/${domainId}/sessions`, { body })
    return json?.state === 'approved'
  }

/** Adds users, issues codes to them and uses these codes, as fast as possible. */
function startLoad(call: Call, domainId: string) {
  const users: string[] = []
  const unused: Given[] = []
  const used: Given[] = []
  const signIn = createSignIn(call, domainId)
  const enough = new AbortController()
  let noted = () => {}

  const working = (async () => {
    for (let number = 0; !enough.signal.aborted; number += 1) {
      const { status, json } = await call('POST', '/users', { body: newUser(`${Math.random()} ${number}`) })
      if (status !== 200) continue
      const user: string = json.id
      users.push(user)
      await call('PUT', `/domains/${domainId}/users/${user}`)
      const creation = await call('POST', `/users/${user}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 0 } })
      if (creation.status !== 200) continue
      const issuedCode = { user, code: creation.json.code as string }
      // The others are used after the backup, which has them as they are now.
      if (number % 4 === 0) unused.push(issuedCode)
      else if (await signIn(issuedCode)) used.push(issuedCode)
      noted()
    }
  })()
  return {
    acknowledged: () => ({ users: [...users], unused: [...unused], used: [...used] }),
    async more(count: number): Promise<void> {
      for (let remaining = count; remaining > 0; remaining -= 1)
        await new Promise<void>((resolve) => void (noted = resolve))
    },
    async stop(): Promise<void> {
      enough.abort()
      await working
    },
  }
}

function missing(file: string, users: readonly string[]): readonly string[] {
  const copy = new Sqlite(file, { readonly: true })
  const ids = new Set(copy.prepare<[], string>('SELECT id FROM user').pluck().all())
  copy.close()
  return users.filter((id) => !ids.has(id)).map((id) => `the user ${id} is not in ${file}`)
}
