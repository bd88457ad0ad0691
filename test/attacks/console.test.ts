import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { operations } from '../../src/contract/operations.ts'
import { revokeAdministrator } from '../../src/service/features/administrators/administration.ts'
import {
  administrator,
  callConsole,
  consoleBrowser,
  inviteAt,
  origin,
  startConsole,
} from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { createTenant, newUser, v14 } from '../service/start-service.ts'
import { fetchWithHost } from '../support/fetch-with-host.ts'
import { inFullRun } from '../support/full-run.ts'

let folder: string
let running: Console

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-console-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})

const owner = () => administrator(running, { role: 'owner' })
const helpdesk = () => administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
const newOwner = { name: 'Mallory', email: 'mallory@example.com', role: 'owner' }

describe('a page of another origin', () => {
  const foreign = [
    ['another site', 'https://evil.example'],
    ['another host of the same site', 'https://app.console.example'],
    ['plain http', 'http://console.example'],
    ['another port', 'https://console.example:8443'],
    ['a sandboxed frame', 'null'],
  ]

  it.each(foreign)('a page of another origin cannot make an administrator change anything: %s', async (_what, from) => {
    const { call } = await owner()

    const forged = await call('POST', '/invitations', { body: newOwner, headers: { origin: from } })

    expect([forged.status, forged.code]).toEqual([403, 'api.error.forbidden'])
    expect((await call('GET', '/invitations')).json).toEqual([])
  })

  it('the console rejects a change whose request has no Origin header', async () => {
    const { state } = await owner()
    const headers = { host: new URL(origin).host, accept: v14, cookie: state.cookie ?? '' }

    const forged = await fetchWithHost(`${running.origin}/console/api/admin/session`, { method: 'DELETE', headers })

    expect(forged.status).toBe(403)
  })

  it('a page of another origin cannot sign the victim in as the attacker', async () => {
    const { authenticator } = await owner()
    const { json } = await callConsole(running, 'POST', '/sign-in/options')
    const response = authenticator.use(json, {}, authenticator.credentials[0])

    const forged = await callConsole(running, 'POST', '/sign-in', {
      body: { response },
      headers: { origin: 'https://evil.example' },
    })

    expect([forged.status, forged.headers.has('set-cookie')]).toEqual([403, false])
  })

  it.each(['cross-site', 'same-site'])(
    'a page reads nothing from the console when the browser marks its request as %s',
    async (site) => {
      const { call } = await owner()

      const read = await call('GET', '/administrators', { headers: { 'sec-fetch-site': site } })

      expect([read.status, read.code]).toEqual([403, 'api.error.forbidden'])
    },
  )

  it('the console grants a page of another origin no permission by CORS', async () => {
    const { call } = await owner()

    const preflight = await call('OPTIONS', '/invitations', { headers: { origin: 'https://evil.example' } })
    const read = await call('GET', '/session')

    const allowing = [preflight, read].flatMap(({ headers }) => [...headers.keys()])
    expect(allowing.filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

describe('a thief of an invitation', () => {
  it('a stolen invitation cannot be used after the invited person has registered', async () => {
    const token = await inviteAt(running, { role: 'owner' })
    const started = await callConsole(running, 'POST', '/registration/options', { body: { token } })
    await consoleBrowser(running).register(token)
    const { authenticator } = consoleBrowser(running)
    const response = authenticator.make(started.json.options)

    const replayed = await callConsole(running, 'POST', '/registration', { body: { token, response, name: 'Mine' } })

    expect([replayed.status, replayed.code]).toEqual([404, 'api.error.notfound.invitation'])
  })

  it('a registration that was started with one invitation cannot be finished with another', async () => {
    const [weak, strong] = [await inviteAt(running, { role: 'auditor' }), await inviteAt(running, { role: 'owner' })]
    const started = await callConsole(running, 'POST', '/registration/options', { body: { token: weak } })
    const response = consoleBrowser(running).authenticator.make(started.json.options)

    const mixed = await callConsole(running, 'POST', '/registration', {
      body: { token: strong, response, name: 'Mine' },
    })

    expect([mixed.status, mixed.code]).toEqual([409, 'api.error.conflict.state'])
  })

  it('the database does not contain the token of an invitation', async () => {
    const token = await inviteAt(running, { role: 'owner' })

    const rows = await running.ctx.store.db.selectFrom('administratorInvitation').selectAll().execute()

    expect(JSON.stringify(rows)).not.toContain(token)
  })
})

describe('a thief of a cookie', () => {
  it('a stolen console cookie changes nothing once the pass is older than 5 minutes', async () => {
    const { state } = await owner()
    running.clock.skip(300)

    const thief = await callConsole(running, 'POST', '/invitations', { body: newOwner, cookie: state.cookie })

    expect(thief.code).toBe('api.error.forbidden.fresh')
  })

  it('a stolen console cookie cannot add a passkey once the pass is older than 5 minutes', async () => {
    const { state } = await owner()
    running.clock.skip(300)

    const thief = await callConsole(running, 'POST', '/passkeys/options', { cookie: state.cookie })

    expect(thief.code).toBe('api.error.forbidden.fresh')
  })

  it.each(adminOperations.filter(({ endpoint }) => endpoint.admin?.role !== 'none'))(
    'a stolen console cookie gets nothing from $name after the administrator was revoked',
    async ({ endpoint }) => {
      const { state, id } = await owner()
      await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id })
      const path = endpoint.path.replace(/^\/admin/, '').replace(/:\w+/g, id)

      expect((await callConsole(running, endpoint.method, path, { cookie: state.cookie })).status).toBe(401)
    },
  )

  inFullRun.each(operations)(
    'a stolen console cookie gets nothing from the API operation $name',
    async ({ endpoint }) => {
      const { state } = await owner()
      const path = endpoint.path.replace(/:\w+/g, running.domain.id)

      const response = await fetch(`${running.origin}/api${path}`, {
        method: endpoint.method,
        headers: { cookie: state.cookie ?? '', accept: v14 },
      })

      expect(response.status).toBe(401)
    },
  )
})

describe('an app that has an API key', () => {
  it.each(adminOperations.filter(({ endpoint }) => endpoint.admin?.role !== 'none'))(
    'an app with an API key cannot call the console operation $name',
    async ({ endpoint }) => {
      const path = endpoint.path.replace(/^\/admin/, '').replace(/:\w+/g, '0'.repeat(40))
      const headers = { authorization: `Service key="${running.apiKey}"` }

      const answer = await callConsole(running, endpoint.method, path, { headers })

      expect([answer.status, answer.code]).toEqual([401, 'api.error.unauthorized'])
    },
  )

  it('an app with an API key finds no console operation in the API', async () => {
    const answers = await Promise.all(
      adminOperations.map(({ endpoint }) =>
        running.call(endpoint.method, endpoint.path.replace(/:\w+/g, '0'.repeat(40))),
      ),
    )

    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['api.error.notfound.operation']))
  })
})

describe('an administrator who wants more', () => {
  it('an administrator with the help desk role cannot invite another administrator', async () => {
    const { call } = await helpdesk()

    expect((await call('POST', '/invitations', { body: newOwner })).code).toBe('api.error.forbidden')
  })

  it('an administrator cannot change their own role', async () => {
    const { call, id } = await owner()

    const promoted = await call('PUT', `/administrators/${id}`, {
      body: { role: 'auditor' },
      headers: { 'if-match': '"1"' },
    })

    expect(promoted.code).toBe('api.error.forbidden.own')
  })

  it('an owner cannot revoke their own access', async () => {
    const { call, id } = await owner()

    expect((await call('DELETE', `/administrators/${id}`)).code).toBe('api.error.forbidden.own')
  })

  it('an owner cannot invite an administrator for a domain of another organization', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const { call } = await owner()
    const body = { ...newOwner, role: 'admin', domains: [stranger.domain.id] }

    expect((await call('POST', '/invitations', { body })).code).toBe('api.error.notfound.domain')
  })

  it('an owner cannot link an invitation to a user of another organization', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const { json: user } = await stranger.call('POST', '/users', { body: newUser('theirs') })
    const { call } = await owner()

    const answer = await call('POST', '/invitations', { body: { ...newOwner, user: user.id } })

    expect(answer.code).toBe('api.error.notfound.user')
  })

  it('a revoked administrator cannot come back with an invitation that they made before', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    const { json } = await secondOwner.call('POST', '/invitations', { body: newOwner })
    await firstOwner.call('DELETE', `/administrators/${secondOwner.id}`)

    expect((await consoleBrowser(running).register(json.token)).status).toBe(404)
  })

  it('a demoted owner cannot use an invitation that they made as an owner', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    const { json } = await secondOwner.call('POST', '/invitations', { body: newOwner })
    await firstOwner.call('PUT', `/administrators/${secondOwner.id}`, {
      body: { role: 'auditor' },
      headers: { 'if-match': '"1"' },
    })

    expect((await consoleBrowser(running).register(json.token)).status).toBe(404)
  })
})

describe('a writer of the database who has no keys', () => {
  it('a database writer without keys cannot give an administrator the passkey of another one', async () => {
    const [firstOwner, secondOwner] = [await owner(), await owner()]
    const { db } = running.ctx.store
    const { publicKey } = await db
      .selectFrom('administratorPasskey')
      .select('publicKey')
      .where('administratorId', '=', firstOwner.id)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('administratorPasskey')
      .set({ publicKey })
      .where('administratorId', '=', secondOwner.id)
      .execute()
    const [firstPasskey, secondPasskey] = [
      firstOwner.authenticator.credentials[0]!,
      secondOwner.authenticator.credentials[0]!,
    ]
    const { json } = await callConsole(running, 'POST', '/sign-in/options')
    const response = firstOwner.authenticator.use(
      json,
      { userHandle: secondPasskey.userHandle, id: secondPasskey.id },
      firstPasskey,
    )

    expect((await callConsole(running, 'POST', '/sign-in', { body: { response } })).status).toBe(400)
  })
})

describe('the passkey of a user', () => {
  it('a passkey of a user signs no administrator in, even if it was made for the console’s host', async () => {
    const { json: user } = await running.call('POST', '/users', { body: newUser('passkey user') })
    const path = `/domains/${running.domain.id}/users/${user.id}`
    await running.call('PUT', path)
    const rp = { id: 'console.example', origins: [origin], name: 'App' }
    const challenge = 'A'.repeat(22)
    const ceremony = { challenge, first: true }
    const { authenticator } = consoleBrowser(running)
    const started = await running.call('POST', `${path}/passkeys/registration`, { body: { rp, ...ceremony } })
    const credential = authenticator.make(started.json)
    await running.call('POST', `${path}/passkeys`, { body: { ...ceremony, response: credential, name: 'Laptop' } })
    const { json } = await callConsole(running, 'POST', '/sign-in/options')
    const response = authenticator.use(json, {}, authenticator.credentials[0])

    const signedIn = await callConsole(running, 'POST', '/sign-in', { body: { response } })

    expect([signedIn.status, signedIn.code]).toEqual([400, 'api.error.invalid.response'])
  })
})

it('a page of the console does nothing for another administrator, who has signed in at the same browser since it was opened', async () => {
  const before = await owner()
  const now = await owner()
  const { id: shown } = (await before.call('GET', '/session')).json.administrator
  const { id: signedIn } = (await now.call('GET', '/session')).json.administrator
  const headers = { 'x-administrator': shown }
  const { json: invitations } = await now.call('GET', '/invitations')

  const changed = await now.call('POST', '/invitations', { body: newOwner, headers })
  const read = await now.call('GET', '/people', { headers })
  const left = await now.call('DELETE', '/session', { headers })
  const own = await now.call('GET', '/people', { headers: { 'x-administrator': signedIn } })

  expect([changed, read, left].map(({ status }) => status)).toEqual([401, 401, 401])
  expect((await now.call('GET', '/invitations')).json).toEqual(invitations)
  expect(own.status).toBe(200)
})
