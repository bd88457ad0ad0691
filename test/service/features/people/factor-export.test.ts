import { HOTP, URI } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { parseKeyUri } from '../../../../src/contract/key-uri.ts'
import { exportFactors } from '../../../../src/service/features/people/factor-export.ts'
import type { FactorExport } from '../../../../src/service/features/people/factor-export.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { activateDevice, createTenant, keysFor, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { bypassCodeOf, hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import { passkeyHolder } from '../passkeys/passkey-holder.ts'

interface Line {
  readonly username: string
  readonly name?: string
  readonly email?: string
  readonly otpauth: string
}

describe.each(mainEngines)('an export of factors on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let mail: MailServer
  let node: OpenedService

  beforeAll(async () => {
    mail = await startMailServer()
    const database = await newDatabase()
    running = await startConsole(database)
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    const options = { database, clock: running.clock, smtp, ...keysFor(database) }
    node = await openService(ServiceOptions.parse(options))
  })
  afterAll(async () => {
    await node.close()
    await running.close()
    await mail.close()
  })
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const newDomain = async (more: object = {}) => {
    const { administration } = running.service
    return administration.createDomain(running.organization.id, { name: unique(), ...more })
  }
  const join = (domain: { id: string }, { id }: { id: string }) =>
    running.call('PUT', `/domains/${domain.id}/users/${id}`)

  /** Exports at the command line. @returns the report, and the lines. */
  async function exported(domain?: { id: string; name: string }): Promise<FactorExport & { lines: readonly Line[] }> {
    const texts: string[] = []
    const ctx = { ...node.ctx, actor: { kind: 'cli', id: 'root' } } as const
    const report = await exportFactors(ctx, { organization: running.organization, domain }, async (lines) => {
      for await (const line of lines) texts.push(line)
    })
    await node.ctx.securityMails?.sent()
    return { ...report, lines: texts.map((text) => JSON.parse(text) as Line) }
  }

  const trail = () =>
    running.ctx.store.db.selectFrom('audit').selectAll().where('event', '=', 'factors.exported').execute()

  inFullRun(
    'an export of factors has each user’s seed with its exact parameters, and another service accepts the codes',
    async () => {
      const domain = await newDomain({ name: `Intranet: ${unique()}` })
      const kinds = [
        { algorithm: 'SHA1', digits: 6, period: 30 },
        { algorithm: 'SHA256', digits: 8, period: 60 },
        { algorithm: 'SHA512', digits: 7, period: 45 },
      ] as const
      const first = await member(running)
      await first.enrollApp()
      const people = [first, await holder(running, kinds[1]), await holder(running, kinds[2])]
      for (const person of people) await join(domain, person)

      const { lines, exported: count } = await exported(domain)

      const issuer = domain.name.replace(': ', '-')
      const parsed = lines.map(({ otpauth }) => URI.parse(otpauth))
      expect([count, lines.map(({ username }) => username)]).toEqual([3, people.map(({ username }) => username)])
      expect(lines.map(({ name, email }) => [name, email])).toEqual(
        people.map(({ username }) => [newUser(username).name, newUser(username).email]),
      )
      expect(parsed).toMatchObject(kinds.map((kind, index) => ({ ...kind, issuer, label: people[index]?.username })))
      // As `factor import` reads them.
      expect(lines.map(({ otpauth }) => parseKeyUri(otpauth))).toMatchObject(kinds)
      expect(await acceptedElsewhere(lines)).toEqual(['approved', 'approved', 'approved'])
    },
  )

  /** The states of sign-ins at another service, which has tokens with these seeds. */
  async function acceptedElsewhere(lines: readonly Line[]): Promise<string[]> {
    const other: Running = await startService()
    try {
      const states: string[] = []
      for (const { otpauth } of lines) {
        const source = URI.parse(otpauth)
        if (!('period' in source)) throw new TypeError('not time-based')
        const { algorithm, digits, period, secret } = source
        const { json: user } = await other.call('POST', '/users', { body: newUser(unique()) })
        await other.call('PUT', `/domains/${other.domain.id}/users/${user.id}`)
        const body = { serialNumber: unique(), seed: secret.hex, algorithm, digits, period }
        const { json: token } = await other.call('POST', '/hardware', { body })
        await other.call('PUT', `/users/${user.id}/hardware/${token.id}`)
        const otp = source.generate({ timestamp: other.clock.now() * 1000 })
        const signIn = { user: { id: user.id }, otp, challenge: random128() }
        states.push((await other.call('POST', `/domains/${other.domain.id}/sessions`, { body: signIn })).json.state)
      }
      return states
    } finally {
      await other.close()
    }
  }

  inFullRun('an export of factors has the next counter of a token that counts presses', async () => {
    const domain = await newDomain()
    const person = await holder(running, { algorithm: 'SHA1', digits: 6, counter: 7 })
    await join(domain, person)
    await person.signIn({ otp: person.token.code(2), challenge: random128() })

    const { lines } = await exported(domain)

    const [token] = lines.map(({ otpauth }) => URI.parse(otpauth))
    expect(token).toMatchObject({ counter: 10, digits: 6, algorithm: 'SHA1' })
    expect(token).toBeInstanceOf(HOTP)
  })

  it('an export of factors shortens the longest names in addresses, which otherwise have no room for the seed', async () => {
    const name = '密'.repeat(64)
    const domain = await newDomain({ name })
    const { json: user } = await running.call('POST', '/users', { body: { ...newUser(`${name}${name}`), name } })
    await join(domain, user)
    const { id } = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${id}`)

    const { lines } = await exported(domain)

    expect(lines.map(({ username }) => username)).toEqual([`${name}${name}`])
    expect(lines.map(({ otpauth }) => parseKeyUri(otpauth).seed.length)).toEqual([40])
  })

  it('an export of factors contains no recovery code, no PIN and nothing of devices and passkeys, and counts these', async () => {
    const domain = await newDomain({ keyType: 'PASSCODE' })
    const person = await holder(running)
    await join(domain, person)
    const passcode = 'tulip-7-Rose'
    const { code: recovery } = await bypassCodeOf(running, person.id)
    const { code } = (await running.call('PUT', `/domains/${domain.id}/users/${person.id}/token`)).json
    const { codeSecret } = await activateDevice(running.origin, running.clock, code, { pin: passcode })
    await join(domain, await passkeyHolder(running))

    const { lines, ...report } = await exported(domain)

    expect(report).toMatchObject({ exported: 1, devices: 1, passkeys: 1, freeTokens: 0, damaged: [] })
    expect(lines.map((line) => Object.keys(line))).toEqual([['username', 'name', 'email', 'serialNumber', 'otpauth']])
    for (const hidden of [recovery, passcode, codeSecret]) expect(JSON.stringify(lines)).not.toContain(hidden)
  })

  it('an export of factors of one domain has its members alone, and none has users of another organization', async () => {
    const domain = await newDomain()
    const [mine, theirs] = [await holder(running), await holder(running)]
    await join(domain, mine)
    const stranger = await createTenant(running.service, running.origin)
    const foreign = await holder({ ...running, ...stranger })
    await hardwareToken(running)

    const ofDomain = await exported(domain)
    const all = await exported()

    expect(ofDomain.lines.map(({ username }) => username)).toEqual([mine.username])
    const names = all.lines.map(({ username }) => username)
    expect(names).toEqual(expect.arrayContaining([mine.username, theirs.username]))
    expect(names).not.toContain(foreign.username)
    expect([ofDomain.freeTokens, all.freeTokens > 0, all.exported]).toEqual([0, true, names.length])
  })

  inFullRun('an export of factors has every page of them once, in the order in which they were added', async () => {
    const domain = await newDomain()
    const rows = Array.from({ length: 410 }, () => newUser(unique()))
    await running.call('PUT', `/domains/${domain.id}/users`, { body: rows })
    const { db } = running.ctx.store
    const users = await db
      .selectFrom('user')
      .select(['id', 'username'])
      .where(
        'username',
        'in',
        rows.map(({ username }) => username),
      )
      .orderBy('sequence')
      .execute()
    for (const { id } of users) {
      const { json } = await running.call('POST', '/hardware', {
        body: { type: 'TOTP6', timeStep: 30, serialNumber: unique(), seed: 'ab'.repeat(20) },
      })
      await running.call('PUT', `/users/${id}/hardware/${json.id}`)
    }

    const { lines } = await exported(domain)

    expect(lines.map(({ username }) => username)).toEqual(users.map(({ username }) => username))
  })

  it('an export of factors is in the audit trail, and owners get a mail, before the first seed is read', async () => {
    const domain = await newDomain()
    const [person, owner] = [await holder(running), unique()]
    await join(domain, person)
    await administrator(running, { role: 'owner', email: `${owner}@example.com` })
    const scope = { organization: running.organization, domain }
    const before = (await trail()).length
    const ctx = { ...node.ctx, actor: { kind: 'cli', id: 'root' } } as const

    const dying = exportFactors(ctx, scope, () => Promise.reject(new Error('killed')))

    await expect(dying).rejects.toThrow('killed')
    const entries = await trail()
    expect(entries).toHaveLength(before + 1)
    expect(entries.at(-1)).toMatchObject({ actorKind: 'cli', actorId: 'root' })
    expect(JSON.parse(entries.at(-1)?.facts ?? '')).toEqual({ domain: domain.id, count: 1, skipped: 0 })
    await node.ctx.securityMails?.sent()
    const received = mail.mails.filter(({ to }) => to.includes(`${owner}@example.com`))
    expect(received.map(({ text }) => text)).toEqual([expect.stringContaining('Users concerned: 1.')])
    expect(received[0]?.text).toContain(domain.name)
  })

  it('an export of factors without a trail has no line', async () => {
    const reason = new Error('no trail')
    const ctx = { ...node.ctx, trail: { ...node.ctx.trail, append: () => Promise.reject(reason) } }
    const texts: string[] = []

    const exporting = exportFactors(ctx, { organization: running.organization }, async (lines) => {
      for await (const line of lines) texts.push(line)
    })

    await expect(exporting).rejects.toBe(reason)
    expect(texts).toEqual([])
  })

  inFullRun('an export of factors leaves out a seed that does not open, and names its serial number', async () => {
    const domain = await newDomain()
    const [moved, whole] = [await holder(running), await holder(running)]
    for (const person of [moved, whole]) await join(domain, person)
    const { db } = running.ctx.store
    const { seed } = await db
      .selectFrom('codeGenerator')
      .select('seed')
      .where('id', '=', whole.token.id)
      .executeTakeFirstOrThrow()
    await db.updateTable('codeGenerator').set({ seed }).where('id', '=', moved.token.id).execute()

    const { lines, damaged } = await exported(domain)

    expect(lines.map(({ username }) => username)).toEqual([whole.username])
    expect(damaged).toEqual([(await moved.token.show()).serialNumber])
  })
})
