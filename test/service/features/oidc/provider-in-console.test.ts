import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { OidcProvider } from '../../../../src/admin-contract/oidc-provider.ts'
import { oidc } from '../../../../src/oidc/oidc.ts'
import { addOidcClient } from '../../../../src/service/features/oidc/clients.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'

describe.each(mainEngines)('the OpenID provider in the console, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const statesOf = ({ json }: { readonly json: OidcProvider }) => json.keys.map(({ state }) => state)

  inFullRun('the console knows the issuer as long as the process is an OpenID provider', async () => {
    const by = await owner()
    const issuer = async () => (await by.call('GET', '/oidc-provider')).json.issuer

    expect(await issuer()).toBeNull()
    const provider = oidc({ service: running.service, issuer: 'https://id.example' })
    expect(await issuer()).toBe('https://id.example')
    provider.close()
    expect(await issuer()).toBeNull()
  })

  inFullRun('an owner publishes the next signing key once, and replaces all of them', async () => {
    const by = await owner()

    expect(statesOf(await by.call('POST', '/oidc-provider/keys'))).toEqual(['signing'])
    expect(statesOf(await by.call('POST', '/oidc-provider/keys'))).toEqual(['signing', 'next'])
    expect(statesOf(await by.call('POST', '/oidc-provider/keys'))).toEqual(['signing', 'next'])
    const before = (await by.call('GET', '/oidc-provider')).json.keys
    const after = (await by.call('POST', '/oidc-provider/keys/replace')).json.keys

    expect(after).toMatchObject([{ state: 'signing', publishedUntil: null }])
    expect(before.map(({ id }: { id: string }) => id)).not.toContain(after[0].id)
  })

  inFullRun(
    'two owners who replace all signing keys at once leave one key, and neither gets an error without words',
    async () => {
      const [first, second] = [await owner(), await owner()]

      const answers = await Promise.all([first, second].map((by) => by.call('POST', '/oidc-provider/keys/replace')))

      expect(answers.map(({ status }) => status)).toContain(200)
      for (const { status } of answers) expect([200, 409]).toContain(status)
      expect(statesOf(await first.call('GET', '/oidc-provider'))).toEqual(['signing'])
    },
  )

  inFullRun('the audit trail of the organization says who has changed the signing keys', async () => {
    const by = await owner()
    await by.call('POST', '/oidc-provider/keys')
    await by.call('POST', '/oidc-provider/keys/replace')
    running.clock.skip(5)

    const { json } = await by.call('GET', '/audit?event=oidc.keys_replaced')

    expect(json.entries[0]).toMatchObject({ event: 'oidc.keys_replaced', actor: { kind: 'administrator', id: by.id } })
  })

  it('nobody but owners changes the signing keys, and everyone who may see clients reads them', async () => {
    await (await owner()).call('POST', '/oidc-provider/keys/replace')
    const others = [
      await administrator(running, { role: 'admin', domains: [running.domain.id] }),
      await administrator(running, { role: 'auditor' }),
      await administrator(running, { role: 'helpdesk', domains: [running.domain.id] }),
    ]

    for (const path of ['/oidc-provider/keys', '/oidc-provider/keys/replace']) {
      const answers = await Promise.all(others.map((by) => by.call('POST', path)))
      expect(answers.map(({ code }) => code)).toEqual(others.map(() => 'api.error.forbidden'))
    }
    const [admin, auditor, helpDesk] = await Promise.all(others.map((by) => by.call('GET', '/oidc-provider')))
    expect(admin?.json).toMatchObject({ changesKeys: false, keys: [{ state: 'signing' }] })
    expect(auditor?.json).toMatchObject({ changesKeys: false })
    expect(helpDesk?.code).toBe('api.error.forbidden')
  })

  it('an administrator of some domains sees the OpenID clients of these alone', async () => {
    for (const domainId of [running.domain.id, otherDomain]) {
      const key = { organizationId: running.organization.id, domainId }
      await addOidcClient(running.ctx, key, { name: domainId, kind: 'sign-in', redirectUris: ['https://a.example/'] })
    }
    const admin = await administrator(running, { role: 'admin', domains: [otherDomain] })
    const domainsIn = async (by: typeof admin, query = '') =>
      (await by.call('GET', `/oidc-clients${query}`)).json.map(({ domain }: { domain: string }) => domain)

    expect(await domainsIn(admin)).toEqual([otherDomain])
    expect((await domainsIn(await owner())).toSorted()).toEqual([running.domain.id, otherDomain].toSorted())
    expect(await domainsIn(await owner(), `?domain=${running.domain.id}`)).toEqual([running.domain.id])
    expect((await admin.call('GET', `/oidc-clients?domain=${running.domain.id}`)).code).toBe(
      'api.error.notfound.domain',
    )
  })

  it('in a service of several organizations, no owner changes the signing keys that all of them use', async () => {
    const by = await owner()
    const before = (await by.call('GET', '/oidc-provider')).json
    await running.service.administration.createOrganization('Other')

    for (const path of ['/oidc-provider/keys', '/oidc-provider/keys/replace']) {
      expect(await by.call('POST', path)).toMatchObject({ status: 409, code: 'api.error.conflict.state' })
    }

    expect((await by.call('GET', '/oidc-provider')).json).toEqual({ ...before, changesKeys: false })
  })
})
