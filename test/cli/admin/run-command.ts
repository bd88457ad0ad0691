import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { afterEach, beforeEach, vi } from 'vitest'

import { createProgram } from '../../../src/cli/program.ts'

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
  /** What was printed as JSON. */
  readonly json: any // oxlint-disable-line typescript/no-explicit-any -- tests read what they expect
}

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** Runs `second-factor …` within this process, without a terminal. */
export async function run(...args: readonly string[]): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line: string) => void out.push(`${line}\n`)),
    vi.spyOn(console, 'error').mockImplementation((line: string) => void err.push(`${line}\n`)),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? 0))
    }),
  ]
  process.exitCode = undefined
  try {
    const code = await createProgram(args)
      .then((program) => program.parseAsync([...args], { from: 'user' }))
      .then(
        () => Number(process.exitCode ?? 0),
        (error: unknown) => {
          if (error instanceof Exit) return error.code
          throw error
        },
      )
    const stdout = out.join('')
    const json: unknown = args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined
    return { stdout, stderr: err.join(''), code, json }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}

/** The same with environment variables, for a database whose keys are not in a file. */
export async function runIn(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ran> {
  const previousEnv = { ...process.env }
  Object.assign(process.env, env)
  try {
    return await run(...args)
  } finally {
    for (const name of Object.keys(env)) {
      if (previousEnv[name] === undefined) delete process.env[name]
      else process.env[name] = previousEnv[name]
    }
  }
}

/** The same with something piped in. */
export async function runWith(input: string, ...args: readonly string[]): Promise<Ran> {
  const stdin = Object.assign(Readable.from([input]), { isTTY: false })
  const spy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin)
  try {
    return await run(...args)
  } finally {
    spy.mockRestore()
  }
}

/** A folder of its own for each test, and a database in it with one organization and the domain "Intranet". */
export function useDatabase() {
  const place = { folder: '', database: '', domainId: '', organizationId: '', apiKey: '' }
  beforeEach(async () => {
    place.folder = newFolder()
    place.database = join(place.folder, 'mfa.sqlite')
    Object.assign(place, await createDatabase(place.folder))
  })
  afterEach(() => rmSync(place.folder, { recursive: true }))
  return {
    place,
    file: (name: string) => join(place.folder, name),
    admin: (...args: readonly string[]) => run(...args, '--database', place.database),
    json: async (...args: readonly string[]) => (await run(...args, '--database', place.database, '--json')).json,
  }
}

export interface Created {
  readonly organizationId: string
  readonly domainId: string
  readonly apiKey: string
}

let created: Promise<Created & { readonly template: string }> | undefined

/**
 * Does the same as `init --domain Intranet`: `mfa.sqlite` and its key file in the folder. It is a copy of what was made
 * once for each worker, with the same keys, because a copy takes a tenth of the time.
 */
export async function createDatabase(folder: string): Promise<Created> {
  created ??= createTemplate()
  const { template, ...details } = await created
  cpSync(template, folder, { recursive: true })
  return details
}

async function createTemplate() {
  const template = newFolder()
  const { json } = await run('init', '--database', join(template, 'mfa.sqlite'), '--domain', 'Intranet', '--json')
  return { template, ...(json as Created) }
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'second-factor-admin-'))
