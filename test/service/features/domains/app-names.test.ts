import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createService, embedded } from '../../../../src/service/index.ts'
import type { EmbeddedService } from '../../../../src/service/embedded.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { startWebApp } from '../../../support/web-app.ts'
import { createCall } from '../../start-service.ts'

const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`

let handles: EmbeddedService[]
beforeEach(() => void (handles = []))
afterEach(async () => void (await Promise.all(handles.map((handle) => handle.close()))))

type Given = Partial<Parameters<typeof embedded>[0]>

/** Starts an app once. @returns the names on the device, and the id of the domain. */
async function start(database: string, app: string | undefined, options: Given = {}) {
  const handle = embedded({ database, keys, ...options })
  handles.push(handle)
  const { baseUrl, apiKey, domainId, fetch } = await handle.connect({ name: app })
  const call = createCall(new URL(baseUrl).origin, apiKey, fetch)
  const organization = (await call('GET', '/organization')).json as { name: string }
  const domain = (await call('GET', `/domains/${domainId}`)).json as { name: string }
  return { id: handle.id, domainId, organization: organization.name, domain: domain.name }
}

/** Acts as an administrator, like the command line or a standalone service on the same database. */
async function administer(database: string, act: (administration: Administration) => Promise<unknown>) {
  const service = await createService({ database, keys })
  try {
    await act(service.administration)
  } finally {
    await service.close()
  }
}
type Administration = Awaited<ReturnType<typeof createService>>['administration']

async function ownDomain(administration: Administration) {
  const [organization] = await administration.organizations()
  const [domain] = await administration.domains(organization!.id)
  return [organization!.id, domain!.id] as const
}

describe.each(mainEngines)('the names of an embedded service on %s', (engine) => {
  const newDatabase = useEngine(engine)

  inFullRun('the names of an embedded service are set once when several processes start at the same time', async () => {
    const database = await newDatabase()

    const first = await Promise.all(Array.from({ length: 4 }, () => start(database, 'Todos')))
    const renamed = await Promise.all(Array.from({ length: 4 }, () => start(database, 'Notes')))

    expect(new Set([...first, ...renamed].map(({ domainId }) => domainId)).size).toBe(1)
    expect(renamed).toEqual(Array.from({ length: 4 }, () => ({ ...first[0], organization: 'Notes', domain: 'Notes' })))
  })

  inFullRun('the names of an embedded service default to the name of the app', async () => {
    const [database, otherDatabase] = [await newDatabase(), await newDatabase()]

    expect(await start(database, 'Todos')).toMatchObject({ organization: 'Todos', domain: 'Todos' })
    expect(await start(otherDatabase, 'Todos', { organization: 'Acme' })).toMatchObject({
      organization: 'Acme',
      domain: 'Todos',
    })
  })

  it('the names of an embedded service follow a rename of the app, and its web sessions keep their domain', async () => {
    const database = await newDatabase()
    const before = await start(database, undefined)

    const todos = await start(database, 'Todos')
    const notes = await start(database, ' Notes ')
    const unnamed = await start(database, undefined)

    expect(before).toMatchObject({ organization: 'Organization', domain: 'My app' })
    expect(todos).toEqual({ ...before, organization: 'Todos', domain: 'Todos' })
    expect(notes).toEqual({ ...before, organization: 'Notes', domain: 'Notes' })
    expect(unnamed).toEqual(notes)
  })

  inFullRun.each(['My app', 'Sign-in'])(
    'the name of the app replaces the names that second-factor init set: %s',
    async (domain) => {
      const database = await newDatabase()
      await administer(database, async (administration) => {
        const { id } = await administration.createOrganization('Organization')
        await administration.createDomain(id, { name: domain })
      })

      await start(database, 'Todos')

      await administer(database, async (administration) => {
        const [organization, ...otherOrganizations] = await administration.organizations()
        expect(organization!.name).toBe('Todos')
        expect((await administration.domains(organization!.id)).map(({ name }) => name)).toEqual(['Todos'])
        expect(otherOrganizations).toEqual([])
      })
    },
  )

  it('a rename of the app does not overwrite a domain name that an administrator changed, and keeps that domain', async () => {
    const database = await newDatabase()
    const before = await start(database, 'Todos')
    await administer(database, async (administration) =>
      administration.setDomain(...(await ownDomain(administration)), { name: 'Intranet' }),
    )

    const after = await start(database, 'Notes')

    expect(after).toEqual({ ...before, organization: 'Notes', domain: 'Intranet' })
  })

  inFullRun(
    'the organization keeps its name when another one already has the new name, and a warning says so',
    async () => {
      const database = await newDatabase()
      const before = await start(database, 'Todos')
      await administer(database, (administration) => administration.createOrganization('Notes'))
      const warnings: string[] = []
      const logger = { info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} }

      const after = await start(database, 'Notes', { logger })

      expect(after).toEqual({ ...before, domain: 'Notes' })
      expect(warnings).toEqual([expect.stringContaining('still called "Todos", because another one is called "Notes"')])
    },
  )
})

describeInFullRun('the name of the app', () => {
  it('the name of the app appears on the device', async () => {
    const app = await startWebApp({ mfa: { appName: 'Todos' } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const code = /#code=([a-z0-9]{10})/.exec((await browser.visit('/account')).text)?.[1]

    const preview = await app.device.preview(`${app.url}/mfa`, code ?? '')

    expect(preview).toMatchObject({ organization: { name: 'Todos' }, domain: { name: 'Todos' } })
  })
})
