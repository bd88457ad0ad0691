import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { importHardwareTokens } from '../../src/service/features/hardware/import.ts'
import { parseOptions } from '../../src/contract/validate.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import type { OpenedService } from '../../src/service/service.ts'
import { createAdministration } from '../../src/service/administration.ts'
import type { Administration } from '../../src/service/administration.ts'
import { inFullRun } from '../support/full-run.ts'
import { unknownId } from './start-service.ts'

let opened: OpenedService
let administration: Administration
let mine: string
let other: string

beforeEach(async () => {
  opened = await openService(parseOptions(ServiceOptions, 'openService', { database: ':memory:' }))
  administration = createAdministration(opened.ctx)
  mine = (await administration.createOrganization('Mine')).id
  other = (await administration.createOrganization('Other')).id
})
afterEach(() => opened.close())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQMAAAAl21bKAAAAA1BMVEUAAACnej3aAAAACklEQVQI12NgAAAAAgAB4iG8MwAAAABJRU5ErkJggg==',
  'base64',
)

describe('an organization', () => {
  it('an organization cannot change the domains or keys of another organization', async () => {
    const { id } = await administration.createDomain(other, { name: 'Theirs' })
    await administration.createApiKey(other)
    const [key] = await administration.apiKeys(other)

    await expect(administration.setDomain(mine, id, { name: 'Mine' })).rejects.toThrow(RangeError)
    await expect(administration.setDomainImage(mine, id, png)).rejects.toThrow(RangeError)
    await expect(administration.removeDomainImage(mine, id)).rejects.toThrow(RangeError)
    await expect(administration.createApiKey(mine, { role: 'auth', domainId: id })).rejects.toThrow(RangeError)
    expect(await administration.revokeApiKey(mine, key!.id)).toBe(false)
    expect(await administration.domains(other)).toMatchObject([{ name: 'Theirs' }])
    expect(await administration.apiKeys(other)).toHaveLength(1)
    expect([await administration.domains(mine), await administration.apiKeys(mine)]).toEqual([[], []])
  })

  it('an organization must exist before it gets a domain or a key', async () => {
    await expect(administration.createDomain(unknownId, { name: 'Nobody’s' })).rejects.toThrow(RangeError)
    await expect(administration.createApiKey(unknownId)).rejects.toThrow(RangeError)
  })
})

describe('a domain', () => {
  it('a domain has a unique name, even when several domains take it at once', async () => {
    const domains = await Promise.all(['A', 'B', 'C'].map((name) => administration.createDomain(mine, { name })))

    const results = await Promise.allSettled(
      domains.map(({ id }) => administration.setDomain(mine, id, { name: 'Wanted' })),
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await administration.domains(mine)).filter(({ name }) => name === 'Wanted')).toHaveLength(1)
  })

  it('a domain rejects unknown rules', async () => {
    const { id } = await administration.createDomain(mine, { name: 'A' })

    await expect(administration.setDomain(mine, id, { requestTimeuot: 60 } as never)).rejects.toThrow(TypeError)
  })

  it('a domain keeps its key type while devices use it', async () => {
    const { db } = opened.ctx.store
    const { id } = await administration.createDomain(mine, { name: 'A' })
    // As a later version could have stored it.
    await db.updateTable('domain').set({ keyType: 'PIN' }).where('id', '=', id).execute()
    const user = {
      id: 'a'.repeat(40),
      organizationId: mine,
      username: 'u',
      nameKey: 'u',
      name: 'u',
      email: 'u@example.com',
    }
    await db
      .insertInto('user')
      .values({ ...user, everEnrolled: 0, createdAt: 0 })
      .execute()
    const token = { id: 'b'.repeat(40), domainId: id, userId: user.id, createdAt: 0 }
    await db
      .insertInto('token')
      .values({ ...token, state: 'active' })
      .execute()

    await expect(administration.setDomain(mine, id, { keyType: 'NONE', name: 'B' })).rejects.toThrow(
      'Revoke the tokens',
    )
    expect(await administration.domains(mine)).toMatchObject([{ name: 'A', keyType: 'PIN' }])

    await db.deleteFrom('token').execute()
    expect(await administration.setDomain(mine, id, { keyType: 'NONE' })).toMatchObject({ keyType: 'NONE' })
  })

  it('a domain rejects images larger than 256 KiB', async () => {
    const { id } = await administration.createDomain(mine, { name: 'A' })
    const sized = (bytes: number) =>
      Buffer.concat([png.subarray(0, -12), Buffer.alloc(bytes - png.length), png.subarray(-12)])

    await administration.setDomainImage(mine, id, sized(256 * 1024))
    await expect(administration.setDomainImage(mine, id, sized(256 * 1024 + 1))).rejects.toThrow('256 KiB')
  })

  it('a domain rejects invalid images, and does not change', async () => {
    const { id } = await administration.createDomain(mine, { name: 'A' })
    await administration.setDomainImage(mine, id, png)

    await expect(administration.setDomainImage(mine, id, Buffer.from('<svg/>'))).rejects.toThrow('it is no PNG')
    expect(await administration.removeDomainImage(mine, id)).toBe(true)
  })
})

describe('an import of hardware tokens', () => {
  const seed = '3132333435363738393031323334353637383930'
  const rows = (count: number, from = 0) =>
    Array.from({ length: count }, (_, each) => ({
      line: each + 1,
      token: { serialNumber: String(from + each), seed, type: 'TOTP6', timeStep: 30 },
    }))
  const count = async () => (await opened.ctx.store.db.selectFrom('hardwareToken').select('id').execute()).length
  const seeds = async () => (await opened.ctx.store.db.selectFrom('codeGenerator').select('id').execute()).length

  inFullRun(
    'an import of hardware tokens is atomic, even when two imports bring the same serial number at once',
    async () => {
      const results = await Promise.allSettled([
        importHardwareTokens(opened.ctx, mine, [rows(1_200)]),
        importHardwareTokens(opened.ctx, mine, [rows(1_200, 1_199)]),
      ])

      const reports = results.map((result) => (result.status === 'fulfilled' ? result.value.imported : 0))
      expect(reports.toSorted((a, b) => a - b)).toEqual([0, 1_200])
      expect([await count(), await seeds()]).toEqual([1_200, 1_200])
    },
  )

  inFullRun('an import of hardware tokens leaves nothing behind when it fails', async () => {
    let calls = 0
    const broken = () => {
      calls += 1
      // After the first batch is written.
      if (calls === 2) throw new Error('pulled the plug')
    }

    await expect(importHardwareTokens(opened.ctx, mine, [rows(1_200)], { progress: broken })).rejects.toThrow('plug')
    expect([await count(), await seeds()]).toEqual([0, 0])
  })

  it('an import of hardware tokens accepts a serial number that another organization uses', async () => {
    await importHardwareTokens(opened.ctx, mine, [rows(3)])

    expect(await importHardwareTokens(opened.ctx, other, [rows(3)])).toMatchObject({ imported: 3, rejected: [] })
    expect(await importHardwareTokens(opened.ctx, mine, [rows(3)])).toMatchObject({ imported: 0, acceptable: 0 })
  })

  inFullRun('an import of hardware tokens reports its progress up to the last row', async () => {
    const steps: number[] = []

    await importHardwareTokens(opened.ctx, mine, [rows(1_200)], { progress: (done, total) => steps.push(done / total) })

    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(steps.at(-1)).toBe(1)
  })
})
