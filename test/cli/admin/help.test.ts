import type { Command } from 'commander'
import { afterEach, describe, expect, it, vi } from 'vitest'

import manifest from '../../../package.json' with { type: 'json' }

import { commandTable } from '../../../src/cli/commands/table.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { run, useDatabase } from './run-command.ts'

afterEach(() => vi.unstubAllEnvs())

const administrative = ['domain', 'user', 'token', 'hardware', 'passkey', 'bypass', 'apikey', 'audit']

/** Every command and group for administrators, as it is typed. */
function commandsOf(command: Command, path: readonly string[]): string[][] {
  return [[...path], ...command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]))]
}

const program = await createProgram(Object.keys(commandTable))

const all = program.commands
  .filter((command) => administrative.includes(command.name()))
  .flatMap((command) => commandsOf(command, [command.name()]))

/** Every command that does something, as it is typed. */
const actions = commandsOf(program, [])
  .filter((path) => subcommandsOf(path).length === 0)
  .map((path) => path.join(' '))

function subcommandsOf(path: readonly string[]): readonly Command[] {
  return path.reduce((among, name) => among.find((each) => each.name() === name)?.commands ?? [], program.commands)
}

describe('--help', () => {
  it('second-factor --help describes each command as the command itself does', () => {
    const described = program.commands.map((command) => [command.name(), command.description()])

    expect(described).toEqual(Object.entries(commandTable).map(([name, { description }]) => [name, description]))
  })

  inFullRun.each(actions.filter((path) => !/^(device|doctor|openapi|ask|proof)/.test(path)))(
    'the help of second-factor %s mentions MFA_DATABASE',
    async (path) => {
      const { stdout } = await run(...path.split(' '), '--help')

      expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/--database <file-or-url> [^)]*\(env: MFA_DATABASE\)/)
    },
  )

  it('second-factor --help mentions MFA_DATABASE', async () => {
    expect((await run('--help')).stdout).toContain('MFA_DATABASE')
  })

  inFullRun.each(all)('the help of second-factor %s %s %s has two examples of the same command', async (...path) => {
    const { stdout, code } = await run(...path.filter((part) => part !== undefined), '--help')

    const examples = stdout.match(/^ {2}\$ second-factor .+/gm) ?? []
    expect(code).toBe(0)
    expect(examples).toHaveLength(2)
    for (const example of examples) expect(example).toContain(`second-factor ${path.filter(Boolean).join(' ')} `.trim())
  })

  it('second-factor has a command for each task of an administrator', () => {
    const names = all.map((path) => path.join(' '))

    expect(names).toEqual(
      expect.arrayContaining([
        ...['create', 'list', 'show', 'set', 'image set', 'image get', 'image remove'].map((name) => `domain ${name}`),
        ...['create', 'list', 'show', 'delete'].map((name) => `user ${name}`),
        ...['issue', 'show', 'revoke'].map((name) => `token ${name}`),
        ...['create', 'import', 'list', 'assign', 'release', 'resynchronize', 'delete'].map(
          (name) => `hardware ${name}`,
        ),
        ...['list', 'delete'].map((name) => `passkey ${name}`),
        ...['create', 'list', 'delete'].map((name) => `bypass ${name}`),
        ...['create', 'list', 'revoke'].map((name) => `apikey ${name}`),
      ]),
    )
  })
})

describe('--version', () => {
  it('second-factor --version prints the version of the package and nothing else', async () => {
    const { stdout, code } = await run('--version')

    expect([stdout, code]).toEqual([`${manifest.version}\n`, 0])
  })
})

describe('a usage error', () => {
  const { place } = useDatabase()

  inFullRun.each([
    ['an unknown command', ['unknown'], 'second-factor --help'],
    ['an unknown option', ['domain', 'list', '--unknown'], 'second-factor domain list --help'],
    ['an option without its value', ['token', 'issue', 'alice', '--domain'], 'second-factor token issue --help'],
    ['an invalid value', ['serve', '--database', 'x', '--port', 'x'], 'second-factor serve --help'],
    ['a value that the service rejects', ['init', '--database', 'ftp://x'], 'second-factor init --help'],
  ])('a usage error points to the help of the command: %s', async (_, args, help) => {
    const { stderr, code } = await run(...args)

    expect(code).toBe(2)
    expect(stderr).toContain(` See: ${help}\n`)
  })

  it.each([
    ['serve', '--push-subject', ['--push-subject', 'operator']],
    ['serve', '--listen-database', ['--listen-database', 'postgres://127.0.0.1/x']],
  ])('a usage error of second-factor %s names the option as it was typed: %s', async (command, option, args) => {
    const { stderr, code } = await run(command, '--database', place.database, '--port', '0', ...args)

    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`^${option}: .+ See: second-factor ${command} --help\n$`))
  })

  inFullRun.each([
    [['domain', 'set', 'Intranet', '--request-timeout', '5'], '--request-timeout: must be 10 or more'],
    [['domain', 'create', ''], '<name>: must have 1 to 128 characters'],
    [['hardware', 'create', '', '--seed', 'ab'.repeat(20)], '<serial>: must have 1 to 64 characters'],
  ])('a usage error names the option or argument and the expected value: %j', async (args, message) => {
    const { stderr, code } = await run(...args, '--database', place.database)

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('a usage error names the environment variable of a missing option', async () => {
    vi.stubEnv('MFA_DATABASE', undefined)

    const { stderr, code } = await run('domain', 'list')

    expect(code).toBe(2)
    expect(stderr).toContain("'--database <file-or-url>' not specified, and MFA_DATABASE is not set")
  })
})

describeInFullRun('the address of a database', () => {
  const { json } = useDatabase()
  const secret = 'Pa55word'

  it.each([
    `postgres://mfa:${secret}@127.0.0.1:1/mfa`,
    `postgresql://mfa:${secret}@@127.0.0.1:1/mfa`,
    `postgres://mfa:x/${secret}@127.0.0.1:1/mfa`,
    `postgres://127.0.0.1:1/mfa?password=${secret}`,
    `postgress://mfa:${secret}@127.0.0.1/mfa`,
    `mysql://mfa:${secret}@127.0.0.1/mfa`,
  ])('the password in a database address is never printed: %s', async (database) => {
    for (const args of [['domain', 'list'], ['init'], ['serve']]) {
      const { stdout, stderr, code } = await run(...args, '--database', database)

      expect(code).toBeGreaterThan(0)
      expect(stdout + stderr).not.toContain(secret)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  it('a database file is not affected by the hiding of passwords in addresses', async () => {
    expect(await json('domain', 'list')).toHaveLength(1)
  })
})
