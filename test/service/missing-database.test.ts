import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { withDatabase } from '../../src/cli/database/open.ts'
import { createService, embedded } from '../../src/service/index.ts'
import type { Service, ServiceOptions } from '../../src/service/index.ts'
import { mainEngines, useEngine } from '../support/engines.ts'
import { inFullRun } from '../support/full-run.ts'

const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`

let folder: string
let database: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-missing-'))
  database = join(folder, 'mfa.sqlite')
  vi.stubEnv('NODE_ENV', 'production')
  vi.stubEnv('MFA_CREATE', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

async function logOf(open: (logger: ServiceOptions['logger']) => Promise<Service>) {
  const logged: { level: string; details: object; message: string }[] = []
  const log = (level: string) => (details: object, message: string) => void logged.push({ level, details, message })
  const service = await open({ info: log('info'), warn: log('warn'), error: log('error') })
  await service.close()
  return logged
}

describe('a database that is missing in production', () => {
  it('an embedded service in production creates no database; the error names its absolute path and how to create it', async () => {
    const handle = embedded({ database: relative(process.cwd(), database) })

    const problem = await handle.connect().catch((error: unknown) => error)

    expect(problem).toMatchObject({ name: 'SetupError', cause: { name: 'MissingDatabaseError' } })
    expect(String(problem)).toContain(`There is no database at ${database} ("${relative(process.cwd(), database)}"`)
    expect(String(problem)).toContain(`second-factor init --database ${database}`)
    expect(String(problem)).toContain('MFA_CREATE=1')
    expect([existsSync(database), existsSync(`${database}.keys`)]).toEqual([false, false])
    await handle.close()
  })

  it('a standalone service in production does not create a missing database', async () => {
    await expect(createService({ database })).rejects.toMatchObject({ name: 'MissingDatabaseError' })

    expect(existsSync(database)).toBe(false)
  })

  inFullRun('a database in production is still missing if an empty file is in its place', async () => {
    writeFileSync(database, '')

    await expect(createService({ database })).rejects.toThrow(`${database} is empty (0 bytes)`)

    expect(existsSync(`${database}.keys`)).toBe(false)
  })

  it('a service in production refuses a database in memory', async () => {
    await expect(createService({ database: ':memory:' })).rejects.toThrow(
      'A database in memory is empty at every start',
    )
  })

  it('an option in code cannot create a missing database', () => {
    expect(() => embedded({ database, create: true } as never)).toThrow('embedded: "create" is unknown')
  })

  inFullRun('MFA_CREATE=1 creates a missing database, and the log says so with the absolute path', async () => {
    vi.stubEnv('MFA_CREATE', '1')

    const created = await logOf((logger) => createService({ database, logger }))
    const reopened = await logOf((logger) => createService({ database, logger }))

    const creationLines = (logged: typeof created) => logged.filter(({ details }) => 'created' in details)
    expect(creationLines(created)).toEqual([
      {
        level: 'warn',
        details: { database, created: true },
        message: `The database ${database} has just been created. It has no enrolled users.`,
      },
    ])
    expect(creationLines(reopened)).toMatchObject([{ level: 'info', details: { database, created: false } }])
  })

  inFullRun('second-factor init creates a missing database, which then opens without MFA_CREATE', async () => {
    await withDatabase({ database, create: true }, async () => {})

    const service = await createService({ database })

    await service.close()
    expect(existsSync(`${database}.keys`)).toBe(true)
  })

  it('commands other than second-factor init do not create a missing database', async () => {
    await expect(withDatabase({ database }, async () => {})).rejects.toThrow(`The database ${database} doesn't exist`)
  })

  it.each(['', '1'])(
    'a database in production gets no new key file when its own is lost, with MFA_CREATE=%j',
    async (allowed) => {
      await withDatabase({ database, create: true }, async () => {})
      rmSync(`${database}.keys`)
      vi.stubEnv('MFA_CREATE', allowed)

      await expect(createService({ database })).rejects.toThrow(`there is no key file ${database}.keys`)

      expect(existsSync(`${database}.keys`)).toBe(false)
    },
  )
})

describe.each(mainEngines)('an empty database in production, on %s', (engine) => {
  const newDatabase = useEngine(engine, { empty: true })

  it('an empty database in production gets no schema unless MFA_CREATE=1 allows it', async () => {
    const address = await newDatabase()

    const problem = await createService({ database: address, keys }).catch((error: unknown) => error)
    vi.stubEnv('MFA_CREATE', '1')
    const created = await createService({ database: address, keys })
    await created.close()
    vi.stubEnv('MFA_CREATE', '')
    const reopened = await createService({ database: address, keys })
    await reopened.close()

    expect(problem).toMatchObject({ name: 'MissingDatabaseError' })
    expect(String(problem)).not.toContain('postgres:password')
  })
})
