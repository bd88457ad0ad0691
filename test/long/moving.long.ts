import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { npm } from '../examples/install-example.ts'
import { moveAll, signInAtPages } from '../support/moving.ts'
import type { Mover } from '../support/moving.ts'
import { speakeasyPeople } from '../support/speakeasy-people.ts'
import { startWebApp } from '../support/web-app.ts'

const people = Number(process.env.MOVERS ?? 10_000)

describe(`moving ${people} people`, () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'better-auth-'))
    await cp(join(import.meta.dirname, 'better-auth-app.mjs'), join(folder, 'app.mjs'))
    const dependencies = { 'better-auth': '^1.7.0' }
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
    await npm(folder, 'install', '--no-audit', '--no-fund')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each([6, 8] as const)(
    'people of an app with better-auth sign in with the codes of their phones, and enroll nothing: %s digits',
    async (digits) => {
      const app = await startWebApp()
      const [time, secret] = [app.clock.now(), 'the-secret-of-an-app-with-better-auth']
      const args = ['app.mjs', String(people / 2), String(digits), String(time), secret]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 28 })
      const { rows, people: persons } = JSON.parse(stdout) as Printed
      const movers = persons.map(({ email, code, later }): Mover => {
        return { username: email, codeAt: (seconds) => (seconds >= time + 120 ? later : code) }
      })

      const moved = await moveAll(app, JSON.stringify(rows), { from: 'better-auth', secret, digits }, movers)

      expect(moved).toBe(people / 2)
      for (const mover of movers.slice(0, 5)) await signInAtPages(app, mover)
    },
  )

  it('people of an app with speakeasy sign in with the codes of their phones, and enroll nothing, by every hash', async () => {
    const app = await startWebApp()
    const { movers, file } = speakeasyPeople(people)

    expect(await moveAll(app, file, { from: 'speakeasy' }, movers)).toBe(people)
    for (const mover of movers.slice(0, 6)) await signInAtPages(app, mover)
  })
})

interface Printed {
  readonly rows: readonly object[]
  readonly people: readonly { readonly email: string; readonly code: string; readonly later: string }[]
}
