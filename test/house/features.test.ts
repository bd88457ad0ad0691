import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { describe, expect, it } from 'vitest'

import { features as order } from '../../scripts/boundaries/house.ts'
import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { auditEvents } from '../../src/service/engine/audit/events.ts'
import { noObserver } from '../../src/service/engine/monitoring/observer.ts'
import { sealedPlaces } from '../../src/service/engine/secrets/sealed-values.ts'
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

/** A call that records an event, or the member that names it. */
const recorded = /(?:\b[aA]udit\w*\([^'"`;]{0,160}|event: |name: )'([a-z_]+\.[a-z_]+)'/g

/** Files that list events and record none. */
const namesEvents = /^engine\/(audit\/([a-z]+-)?events|openapi\/)/

/** Events that happen in several features: as what they are about, and as a part of something greater. */
const recordedInSeveral: Readonly<Record<string, string>> = {
  // As the only thing, and with whatever else ends it.
  'token.revoked': 'audit, devices',
  'hardware.released': 'devices, hardware, people',
  'passkey.removed': 'passkeys, people',
  'bypass.all_deleted': 'bypass-codes, people',
  // By the app, and by an administrator.
  'user.changed': 'people, users',
  'user.sessions_ended': 'browsers, people',
  // By the app, by an administrator, and by the options of an embedded service.
  'domain.changed': 'app-domain.ts, domains, people',
  'oidc.client_changed': 'administrators, oidc',
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
  it('the features of the service match the folders, each with its place in the order', () => {
    const folders = new Set(files.flatMap(({ path }) => /^features\/([^/]+)\//.exec(path)?.[1] ?? []))

    expect(order.toSorted()).toEqual([...folders].toSorted())
    expect(features.map(({ name }) => name).filter((name) => folders.has(name))).toEqual(order)
  })

  it('each table of the service has exactly one owner', () => {
    const schema = files.find(({ path }) => path === 'engine/database/schema/schema.ts')?.text ?? ''
    const [, body = ''] = schema.split('export interface Database {')
    const tables = Array.from(body.matchAll(/^ {2}(\w+):/gm), ([, table = '']) => table)
    const owned = [...Object.values(ofTheEngine).flat(), ...features.flatMap((feature) => feature.tables)]

    expect([...owned, ...ofTheDatabase].toSorted()).toEqual(tables.toSorted())
  })

  it('features write only their own tables, apart from the listed exceptions', () => {
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

  it('every table with sealed columns has an owner, so each secret has one home', () => {
    const homes = sealedPlaces.map(({ table, column }) => [`${table}.${column}`, ownerOf.get(table)])

    expect(homes.length).toBeGreaterThan(5)
    expect(homes.filter(([, owner]) => owner === undefined)).toEqual([])
  })

  it('every operation is handled in exactly one feature', () => {
    const routes = files.filter(({ path }) => /^routes\/(rest|console)\.ts$/.test(path))
    const handled = routes.flatMap(({ text }) => {
      const imports = Array.from(text.matchAll(/import (.+) from '([^']+)'/g), ([, names = '', from = '']) => ({
        names,
        from,
      }))
      const origin = (name: string) => imports.find(({ names }) => new RegExp(`\\b${name}\\b`).test(names))?.from
      return Array.from(text.matchAll(/\b\w*[rR]oute\((\w+\.\w+), (\w+)/g), ([, operation = '', handler = '']) => ({
        operation,
        from: origin(handler) ?? 'nowhere',
      }))
    })

    expect(handled.length).toBeGreaterThan(120)
    expect(handled.filter(({ from }) => !from.startsWith('../features/'))).toEqual([])
    expect(new Set(handled.map(({ operation }) => operation)).size).toBe(handled.length)
  })

  it('each event is recorded in one place, apart from the listed exceptions', () => {
    const homes = new Map<string, Set<string>>()
    for (const { path, text } of files) {
      if (isUpkeep(path) || namesEvents.test(path)) continue
      for (const [, event = ''] of text.matchAll(recorded)) {
        if (Object.hasOwn(auditEvents, event)) homes.set(event, (homes.get(event) ?? new Set()).add(homeOf(path)))
      }
    }
    const several = [...homes].filter(([, places]) => places.size > 1)

    expect(homes.size).toBeGreaterThan(80)
    expect(Object.fromEntries(several.map(([event, places]) => [event, [...places].toSorted().join(', ')]))).toEqual(
      recordedInSeveral,
    )
  })

  it('each metric is counted in one place, except the ends of sessions', () => {
    const homes = new Map<string, Set<string>>()
    for (const { path, text } of files) {
      if (isUpkeep(path) || path.startsWith('engine/monitoring/')) continue
      for (const [, counted = ''] of text.matchAll(/\bobserver\.(\w+)\(/g)) {
        homes.set(counted, (homes.get(counted) ?? new Set()).add(homeOf(path)))
      }
    }
    const several = [...homes].filter(([, places]) => places.size > 1)

    expect(Object.keys(noObserver).filter((name) => !homes.has(name) && name !== 'swept')).toEqual([])
    // By an answer, by a code or a new request, and with whatever else ends it.
    expect(several.map(([counted, places]) => [counted, [...places].toSorted()])).toEqual([
      ['settled', ['devices', 'sessions', 'waiting']],
    ])
  })

  it('features cannot claim the same place in an order twice', async () => {
    const { joinFeatures } = await import('../../src/service/engine/steps/feature.ts')
    const step = { place: 1, run: () => Promise.resolve() }
    const twice = ['users', 'people'].map((name) => ({ name, tables: [], userEnds: [step] }))

    expect(() => joinFeatures(features)).not.toThrow()
    expect(() => joinFeatures(twice)).toThrow('Two features claim the place 1.')
  })
})
