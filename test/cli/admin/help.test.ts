import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'

import { createProgram } from '../../../src/cli/program.ts'
import { run, useDatabase } from './run-command.ts'

const administrative = ['domain', 'user', 'token', 'hardware', 'bypass', 'apikey', 'audit']

/** Every command and group for administrators, as it is typed. */
function commandsOf(command: Command, path: readonly string[]): string[][] {
  return [[...path], ...command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]))]
}

const all = createProgram()
  .commands.filter((command) => administrative.includes(command.name()))
  .flatMap((command) => commandsOf(command, [command.name()]))

describe('--help', () => {
  it.each(all)('of %s %s %s shows two examples that begin as it does', async (...path) => {
    const { stdout, code } = await run(...path.filter((part) => part !== undefined), '--help')

    const examples = stdout.match(/^ {2}\$ second-factor .+/gm) ?? []
    expect(code).toBe(0)
    expect(examples).toHaveLength(2)
    for (const example of examples) expect(example).toContain(`second-factor ${path.filter(Boolean).join(' ')} `.trim())
  })

  it('knows all that an administrator does', () => {
    const names = all.map((path) => path.join(' '))

    expect(names).toEqual(
      expect.arrayContaining([
        ...['create', 'list', 'show', 'set', 'image set', 'image get', 'image remove'].map((name) => `domain ${name}`),
        ...['create', 'list', 'show', 'delete'].map((name) => `user ${name}`),
        ...['issue', 'show', 'revoke'].map((name) => `token ${name}`),
        ...['create', 'import', 'list', 'assign', 'delete'].map((name) => `hardware ${name}`),
        ...['create', 'list', 'delete'].map((name) => `bypass ${name}`),
        ...['create', 'list', 'revoke'].map((name) => `apikey ${name}`),
      ]),
    )
  })
})

describe('the address of a database', () => {
  const { json } = useDatabase()
  const secret = 'Pa55word'

  it.each([
    `postgres://mfa:${secret}@127.0.0.1:1/mfa`,
    `postgresql://mfa:${secret}@@127.0.0.1:1/mfa`,
    `postgres://mfa:x/${secret}@127.0.0.1:1/mfa`,
    `postgres://127.0.0.1:1/mfa?password=${secret}`,
    `postgress://mfa:${secret}@127.0.0.1/mfa`,
    `mysql://mfa:${secret}@127.0.0.1/mfa`,
  ])('is never repeated: %s', async (database) => {
    for (const args of [['domain', 'list'], ['init'], ['serve']]) {
      const { stdout, stderr, code } = await run(...args, '--database', database)

      expect(code).toBeGreaterThan(0)
      expect(stdout + stderr).not.toContain(secret)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  it('does not stand in the way of a file', async () => {
    expect(await json('domain', 'list')).toHaveLength(1)
  })
})
