import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { describe, expect, it } from 'vitest'

import { features as order } from '../../scripts/boundaries/house.ts'
import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { features } from '../../src/service/features.ts'

const service = join(root, 'src/service')
const files = (await filesBelow(service))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: relative(service, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }))

/** The feature or the room of the engine that a file belongs to. */
const homeOf = (path: string) => /^(?:features|engine)\/([^/]+)\//.exec(path)?.[1] ?? path

/** Tables of rooms of the engine that have nothing else to say. */
const ofTheEngine: Readonly<Record<string, readonly string[]>> = {
  database: ['service'],
  push: ['pushKey'],
  secrets: ['keyCheck', 'keyNode'],
}

/** Tables that are filled by triggers of the database, and a view. */
const ofTheDatabase = ['member', 'personOrder', 'searchRow', 'userSearch']

/** Writes elsewhere, each of which belongs to a change of something else, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'browsers writes session': 'an approval that was not redeemed ends with the epoch it was given in',
  'browsers writes user': 'the epoch is a column of the user',
  'codes writes user': 'the lock of codes is a column of the user',
  'devices writes session': 'what a device could answer ends with it',
  'hardware writes codeGenerator': 'a token takes its seed along when it changes hands',
  'push writes device': 'a subscription that the push service no longer knows is forgotten',
  'secrets writes emailCode': 'codes from before there were keys',
  'sessions writes auditWriter': 'how far a chain was counted stands beside it',
  'sessions writes device': 'the first request greets the device that was set up for it',
  'users writes domain': 'the version of the members is a column of the domain',
  'users writes token': 'codes for a first factor end with it',
}

const isNoMigration = ({ path }: { readonly path: string }) => !path.startsWith('engine/database/schema/')

/** What happens to all features at once stands there in one order. */
const isUpkeep = (path: string) => path.startsWith('upkeep/')

const ownerOf = new Map(
  [...Object.entries(ofTheEngine), ...features.map(({ name, tables }) => [name, tables] as const)].flatMap(
    ([name, tables]) => tables.map((table): [string, string] => [table, name]),
  ),
)

describe('the features of the service', () => {
  it('are those of the folders, each with its place in the order', () => {
    const folders = new Set(files.flatMap(({ path }) => /^features\/([^/]+)\//.exec(path)?.[1] ?? []))

    expect(order.toSorted()).toEqual([...folders].toSorted())
    expect(features.map(({ name }) => name).filter((name) => folders.has(name))).toEqual(order)
  })

  it('own every table, each exactly one', () => {
    const schema = files.find(({ path }) => path === 'engine/database/schema/schema.ts')?.text ?? ''
    const [, body = ''] = schema.split('export interface Database {')
    const tables = Array.from(body.matchAll(/^ {2}(\w+):/gm), ([, table = '']) => table)
    const owned = [...Object.values(ofTheEngine).flat(), ...features.flatMap((feature) => feature.tables)]

    expect([...owned, ...ofTheDatabase].toSorted()).toEqual(tables.toSorted())
  })

  it('write only their own tables, but for what the exceptions name', () => {
    const writes = files
      .filter(isNoMigration)
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/(?:insertInto|updateTable|deleteFrom)\('(\w+)'|(?:removal|changeSome)\((?:db, )?'(\w+)'/g),
          ([, changed, removed]) => ({ path, table: changed ?? removed ?? '' }),
        ),
      )
    const foreign = writes
      .filter(({ path, table }) => !isUpkeep(path) && ownerOf.get(table) !== homeOf(path))
      .map(({ path, table }) => `${homeOf(path)} writes ${table}`)

    expect(writes.length).toBeGreaterThan(150)
    expect([...new Set(foreign)].toSorted()).toEqual(Object.keys(exceptions).toSorted())
  })

  it('take each place in an order once', async () => {
    const { joinFeatures } = await import('../../src/service/engine/steps/feature.ts')
    const step = { place: 1, run: () => Promise.resolve() }
    const twice = ['users', 'people'].map((name) => ({ name, tables: [], userEnds: [step] }))

    expect(() => joinFeatures(features)).not.toThrow()
    expect(() => joinFeatures(twice)).toThrow('Two features claim the place 1.')
  })
})
