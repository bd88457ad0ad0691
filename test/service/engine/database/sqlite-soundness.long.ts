import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import supertest from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/service.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-sound-'))
  file = join(folder, 'mfa.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function create(): Promise<void> {
  await (await openSqliteStore(file)).close()
}

/** Overwrites a page with zeros, like a disk or a file system that has lost it. */
function zeroPage(number: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096), 0, 4096, (number - 1) * 4096)
  closeSync(descriptor)
}

const ready = async (service: { listener: Parameters<typeof supertest>[0] }) =>
  (await supertest(service.listener).get('/readyz')).status

describe('a damaged database file', () => {
  it('a damaged database file is rejected when any of its pages is lost', async () => {
    await create()
    const sound = readFileSync(file)
    const lost = Array.from({ length: sound.length / 4096 }, (_, index) => index + 1)

    const refusals: unknown[] = []
    for (const page of lost) {
      writeFileSync(file, sound)
      zeroPage(page)
      refusals.push(
        await openSqliteStore(file).then(
          (store) => store.close(),
          (error: unknown) => String(error),
        ),
      )
    }

    expect(refusals).toEqual(lost.map(() => expect.stringMatching(/is damaged/)))
  })

  it('an empty database file is rejected, and is not changed', async () => {
    writeFileSync(file, '')

    await expect(openSqliteStore(file)).rejects.toThrow(/is empty \(0 bytes\)/)
    expect(statSync(file).size).toBe(0)
  })

  it('a large damaged database file is served but never ready, because a separate process checks it', async () => {
    await create()
    const database = new BetterSqlite3(file)
    const { rootpage } = database
      .prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE name = 'audit'")
      .get() ?? { rootpage: 0 }
    database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(70000000))')
    database.close()
    zeroPage(rootpage)

    const service = await createService({ database: file })
    await expect.poll(() => ready(service)).toBe(503)
    await service.close()
  })
})

describe('a database file in use', () => {
  it.each([
    ['renamed', () => renameSync(file, `${file}.old`)],
    ['replaced', () => (renameSync(file, `${file}.old`), writeFileSync(file, 'another'))],
  ])('a database file in use makes the service not ready when it is %s', async (_what, change) => {
    const service = await createService({ database: file })
    const before = await ready(service)
    change()
    const after = await ready(service)
    await service.close()

    expect([before, after]).toEqual([200, 503])
  })

  it('a database file that a newer version has migrated is rejected, and the error names both schemas', async () => {
    await create()
    const database = new BetterSqlite3(file)
    database.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('9001-later', '2030-01-01')")
    database.close()

    await expect(openSqliteStore(file)).rejects.toThrow(
      /newer version of second-factor \(schema 9001, this one knows \d+\)/,
    )
  })
})
