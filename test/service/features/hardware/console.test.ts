import { randomBytes } from 'node:crypto'

import { once } from 'node:events'
import { connect } from 'node:net'

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import {
  container,
  encrypted,
  encryption,
  exampleKey,
  exampleSeed,
  keyPackage,
  passwordContainer,
  plainData,
} from './files/pskc-file.ts'
import { createTenant, newUser, v14 } from '../../start-service.ts'
import { administrator, origin, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'

const because = 'new_device'
const seed = () => randomBytes(20).toString('hex')

describe.each(mainEngines)('the stock of hardware tokens on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string
  let owner: Awaited<ReturnType<typeof administrator>>

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    const { administration } = running.service
    otherDomain = (await administration.createDomain(running.organization.id, { name: 'Other domain' })).id
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    owner = await administrator(running, { role: 'owner' })
  })

  const ofDomain = (role: 'admin' | 'helpdesk' | 'auditor') =>
    administrator(running, { role, domains: [running.domain.id] })
  const stock = async (by: { call: Console['call'] }, query: Record<string, string> = {}) =>
    (await by.call('GET', `/stock?${new URLSearchParams(query).toString()}`)).json
  const serials = async (by: { call: Console['call'] }, query: Record<string, string>): Promise<string[]> =>
    (await stock(by, query)).tokens.map(({ serialNumber }: { serialNumber: string }) => serialNumber)
  /** A hardware token of a member of the other domain. */
  async function elsewhere() {
    const { json: user } = await running.call('POST', '/users', { body: newUser(unique()) })
    await running.call('PUT', `/domains/${otherDomain}/users/${user.id}`)
    const { id, show } = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${id}`)
    return { id, serialNumber: (await show()).serialNumber as string }
  }
  const importing = (
    by: Pick<typeof owner, 'call'>,
    file: string,
    { dryRun = false, skipRejected = false, key = '', password = '', encoding = '' } = {},
  ) => {
    const query = new URLSearchParams({ because, dryRun: String(dryRun), skipRejected: String(skipRejected) })
    if (encoding !== '') query.set('encoding', encoding)
    const type = file.startsWith('<') ? 'application/xml' : 'text/csv'
    const headers = {
      'content-type': type,
      ...(key !== '' && { 'x-key': key }),
      ...(password !== '' && { 'x-password': password }),
    }
    return by.call('POST', `/stock/import?${query.toString()}`, { file, headers })
  }

  describe('a list', () => {
    inFullRun('the list of hardware tokens finds them by a part of the serial number and by their person', async () => {
      const person = await holder(running)
      const { serialNumber } = await person.token.show()

      const stockPage = await stock(owner, { q: person.username.toUpperCase() })

      expect(stockPage.tokens).toEqual([
        {
          id: person.token.id,
          alias: expect.any(String),
          serialNumber,
          type: 'TOTP6',
          timeStep: '30s',
          algorithm: 'SHA1',
          digits: 6,
          period: 30,
          syncState: 'Never Used',
          createdAt: expect.any(Number),
          person: { id: person.id, username: person.username, name: expect.any(String) },
        },
      ])
      expect(await serials(owner, { q: serialNumber.slice(1) })).toContain(serialNumber)
    })

    inFullRun('the list of hardware tokens finds a serial number with an accent as it is written', async () => {
      const serialNumber = `Ä-${unique()}`
      await running.call('POST', '/hardware', {
        body: { type: 'TOTP6', timeStep: 30, serialNumber, seed: seed() },
      })

      expect(await serials(owner, { q: serialNumber })).toEqual([serialNumber])
      expect(await serials(owner, { q: serialNumber.slice(0, -1) })).toContain(serialNumber)
    })

    inFullRun('the list of hardware tokens is filtered by free, assigned and out of sync', async () => {
      const [free, person] = [await hardwareToken(running), await holder(running)]
      const drifted = await holder(running)
      await drifted.signIn({ otp: drifted.token.code(6) })
      const own = new Map<string, string>()
      for (const token of [free, person.token, drifted.token]) own.set((await token.show()).serialNumber, token.id)
      const listedIn = async (filter: string) => {
        const all = await serials(owner, { filter, q: String(process.pid) })
        return [...own.keys()].map((serial) => all.includes(serial))
      }

      expect(await listedIn('free')).toEqual([true, false, false])
      expect(await listedIn('assigned')).toEqual([false, true, true])
      expect(await listedIn('out_of_sync')).toEqual([false, false, true])
    })

    inFullRun('the list of hardware tokens has pages of 50 and no authenticator apps', async () => {
      const prefix = unique()
      const rows = Array.from({ length: 60 }, (_, index) => `${prefix}/${index},${seed()}`)
      await importing(owner, ['serial,seed', ...rows].join('\n'))
      const person = await member(running)
      await person.enrollApp()

      const first = await stock(owner, { q: `${prefix}/` })
      const second = await stock(owner, { q: `${prefix}/`, from: String(first.next) })

      expect([first.tokens.length, second.tokens.length, second.next]).toEqual([50, 10, undefined])
      expect(await serials(owner, { q: person.username })).toEqual([])
    })

    it('the list of hardware tokens shows nothing of other domains and organizations', async () => {
      const [mine, foreign] = [await holder(running), await elsewhere()]
      const stranger = await createTenant(running.service, running.origin)
      const { json } = await stranger.call('POST', '/hardware', {
        body: { serialNumber: unique(), type: 'TOTP6', timeStep: 30, seed: seed() },
      })
      const { serialNumber } = await mine.token.show()

      const visibleSerials = async (by: { call: Console['call'] }) => [
        ...(await serials(by, { q: serialNumber })),
        ...(await serials(by, { q: foreign.serialNumber })),
        ...(await serials(by, { q: json.serialNumber })),
      ]

      expect(await visibleSerials(owner)).toEqual([serialNumber, foreign.serialNumber])
      expect(await visibleSerials(await ofDomain('admin'))).toEqual([serialNumber])
      expect(await visibleSerials(await ofDomain('auditor'))).toEqual([serialNumber])
    })

    it('the help desk finds a free hardware token only by four characters of its serial number', async () => {
      const { serialNumber } = await (await hardwareToken(running)).show()
      const agent = await ofDomain('helpdesk')

      expect(await serials(agent, { filter: 'free' })).toEqual([])
      expect(await serials(agent, { filter: 'free', q: serialNumber.slice(0, 3) })).toEqual([])
      // Accents are left out before the characters are compared.
      for (const q of ['\u0301'.repeat(4), `${serialNumber.slice(0, 3)}\u0301`])
        expect(await serials(agent, { filter: 'free', q })).toEqual([])
      expect(await serials(agent, { filter: 'free', q: serialNumber })).toEqual([serialNumber])
    })
  })

  describe('an import', () => {
    inFullRun(
      'a dry run of a token import tells line by line what it would create or refuse, and stores nothing',
      async () => {
        const [first, second] = [unique(), unique()]
        const { serialNumber } = await (await hardwareToken(running)).show()
        const text = [
          'serial,seed,type',
          `${first},${seed()},TOTP6`,
          `${second},abc,TOTP6`,
          `${first},${seed()},TOTP6`,
          `${serialNumber},${seed()},TOTP6`,
          `${unique()},${seed()},Yubico OTP`,
          `${unique()},${seed()}`,
        ].join('\n')

        const { json } = await importing(owner, text, { dryRun: true })

        expect(json).toEqual({
          imported: 0,
          acceptable: 1,
          rejectedRows: 5,
          presentRows: 1,
          preview: [{ serialNumber: first, algorithm: 'SHA1', digits: 6, period: 30 }],
          rejected: expect.any(Array),
        })
        const rejected = json.rejected.map(({ line, code }: { line: number; code: string }) => [line, code])
        expect(rejected).toEqual([
          [3, 'seed'],
          [4, 'repeated'],
          [5, 'present'],
          [6, 'yubico'],
          [7, 'row'],
        ])
        expect(await serials(owner, { q: first })).toEqual([])
      },
    )

    inFullRun('a token import stores all rows or none, unless rejected rows are to be skipped', async () => {
      const [good, bad] = [unique(), unique()]
      const text = `serial,seed\n${good},${seed()}\n${bad},12`

      const refused = await importing(owner, text)
      const missing = await serials(owner, { q: good })
      const skipped = await importing(owner, text, { skipRejected: true })

      expect([refused.json.imported, missing, skipped.json.imported]).toEqual([0, [], 1])
      expect(await serials(owner, { q: good })).toEqual([good])
    })

    inFullRun('a token import reads encrypted PSKC with its key, and asks for the key', async () => {
      const serialNumber = unique()
      const serial = `<SerialNo>${serialNumber}</SerialNo>`
      const text = container(encryption(), keyPackage({ serial, secret: encrypted() }))

      const answers = [
        await importing(owner, text, { dryRun: true }),
        await importing(owner, text, { dryRun: true, key: '0'.repeat(32) }),
        await importing(owner, text, { key: exampleKey }),
      ]

      expect(answers.map(({ status, code }) => [status, code])).toEqual([
        [400, 'api.error.invalid.key'],
        [400, 'api.error.invalid.key'],
        [200, undefined],
      ])
      expect(await serials(owner, { q: serialNumber })).toEqual([serialNumber])
    })

    inFullRun(
      'a token import reads PSKC with its password, asks for it, and names what a CSV file does not say',
      async () => {
        const text = passwordContainer()
        const secret = `serial,secret,maker\n${unique()},${seed()},Acme`

        const answers = [
          await importing(owner, text, { dryRun: true }),
          await importing(owner, text, { dryRun: true, password: 'azerty' }),
          await importing(owner, text, { dryRun: true, password: 'qwerty' }),
          await importing(owner, secret, { dryRun: true }),
          await importing(owner, secret, { dryRun: true, encoding: 'hex' }),
        ]

        expect(answers.map(({ status, code }) => [status, code])).toEqual([
          [400, 'api.error.invalid.password'],
          [400, 'api.error.invalid.password'],
          [200, undefined],
          [400, 'api.error.invalid.encoding'],
          [200, undefined],
        ])
        expect(answers[4]!.json).toMatchObject({ acceptable: 1, ignored: ['"maker"'] })
      },
    )

    inFullRun('a token import stores the parameters and the drift of a file, and its codes are accepted', async () => {
      const [serialNumber, person] = [unique(), await member(running)]
      const parameters = '<Suite>HMAC-SHA256</Suite>'
      const interval = plainData('TimeInterval', 60) + plainData('TimeDrift', 5)
      const serial = `<SerialNo>${serialNumber}</SerialNo>`
      await importing(owner, container(keyPackage({ serial, parameters, interval })))
      const [token] = (await stock(owner, { q: serialNumber })).tokens

      await running.call('PUT', `/users/${person.id}/hardware/${token.id}`)
      const source = { seed: exampleSeed, algorithm: 'SHA256', digits: 8 } as const
      const session = await person.signIn({ otp: codeAt(source, stepAt(running.clock.now(), 60) + 5) })

      expect(token).toMatchObject({ algorithm: 'SHA256', digits: 8, period: 60 })
      expect(session.state).toBe('approved')
    })

    inFullRun('a token import stores the counter of a file, and accepts the next code of the token', async () => {
      const [serialNumber, other, person] = [unique(), unique(), await member(running)]
      const key = seed()
      const text = `serial,seed,type,counter\n${serialNumber},${key},HOTP8,4711\n${other},${seed()},HOTP,`
      const { json } = await importing(owner, text)
      const [token] = (await stock(owner, { q: serialNumber })).tokens

      await running.call('PUT', `/users/${person.id}/hardware/${token.id}`)
      const states = []
      for (const counter of [4710, 4711])
        states.push((await person.signIn({ otp: codeAt({ seed: key, digits: 8 }, counter) })).state)

      expect(json.preview).toEqual([
        { serialNumber, algorithm: 'SHA1', digits: 8, counter: 4711 },
        { serialNumber: other, algorithm: 'SHA1', digits: 6, counter: 0 },
      ])
      expect(token).toMatchObject({ digits: 8, counter: 4711 })
      expect(states).toEqual(['denied', 'approved'])
    })

    inFullRun('a token import refuses a counter that is none', async () => {
      const rows = ['-1', 'many', '4294967296'].map((counter) => `${unique()},${seed()},HOTP6,${counter}`)
      const { json } = await importing(owner, ['serial,seed,type,counter', ...rows].join('\n'), { dryRun: true })

      expect(json.rejected.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
        [2, 'row'],
        [3, 'row'],
        [4, 'row'],
      ])
    })

    it('a token import refuses a serial number that a spreadsheet has changed', async () => {
      const { json } = await importing(owner, `serial,seed\n2.60022E+12,${seed()}`, { dryRun: true })

      expect(json.rejected).toEqual([{ line: 2, code: 'serial', reason: expect.stringContaining('spreadsheet') }])
    })

    it('a token import never returns a seed or a key, neither in reports nor in errors', async () => {
      const secrets = [seed(), 'f'.repeat(31), exampleKey]
      const text = `serial,seed\n${unique()},${secrets[0]!}\n${unique()},${secrets[1]!}`
      const damaged = container(encryption(), keyPackage({ secret: encrypted({ mac: 'AAAA' }) }))

      const answers = [
        await importing(owner, text, { dryRun: true }),
        await importing(owner, text, { skipRejected: true }),
        await importing(owner, damaged, { key: exampleKey }),
        await owner.call('GET', '/stock'),
      ]

      for (const { text: body } of answers) for (const secret of secrets) expect(body).not.toContain(secret)
    })

    inFullRun('a token import of a wrong file returns the first 100 rejected rows and the number of all', async () => {
      const { json, text } = await importing(owner, `serial,seed\n${'a\n'.repeat(3_000)}`, { dryRun: true })

      expect([json.rejectedRows, json.rejected.length]).toEqual([3_000, 100])
      expect(text.length).toBeLessThan(16_384)
    })

    it('a token import runs once at a time for each administrator, until its connection ends', async () => {
      const { port } = new URL(running.origin)
      const other = await administrator(running, { role: 'owner' })
      const begin = async () => {
        const head = [
          'POST /console/api/admin/stock/import?because=test&dryRun=true HTTP/1.1',
          `Host: ${new URL(origin).host}`,
          `Origin: ${origin}`,
          `Cookie: ${owner.state.cookie}`,
          `Accept: ${v14}`,
          'Content-Type: text/csv',
          'Content-Length: 100000',
        ]
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        socket.write(`${head.join('\r\n')}\r\n\r\nserial,seed\n`)
        return socket
      }
      const text = `serial,seed\n${unique()},${seed()}`

      let pendingImport = await begin()
      await vi.waitFor(async () => {
        const { status } = await importing(owner, text, { dryRun: true })
        // It was faster than the one that is held back, which then was refused.
        if (status === 200) pendingImport = await begin()
        expect(status).toBe(429)
      })
      const second = await importing(owner, text, { dryRun: true })
      const ofOther = await importing(other, text, { dryRun: true })
      pendingImport.destroy()
      await vi.waitFor(async () => expect((await importing(owner, text, { dryRun: true })).status).toBe(200))

      expect([second.code, second.headers.get('retry-after')]).toEqual(['api.error.toomanyrequests', '5'])
      expect(ofOther.json).toMatchObject({ acceptable: 1 })
    })

    it('a token import takes only files of its types, of 6 MiB at most, however they are sent', async () => {
      const path = '/stock/import?because=test&dryRun=true'
      const csv = { 'content-type': 'text/csv' }
      const file = `serial,seed\n${`${'a'.repeat(1023)}\n`.repeat(6 * 1024)}`

      const answers = [
        await owner.call('POST', path, { file: 'serial,seed', headers: { 'content-type': 'text/plain' } }),
        await owner.call('POST', path, { body: { file: 'serial,seed' } }),
        await owner.call('POST', path, { file: 'serial,seed', headers: { ...csv, 'content-encoding': 'gzip' } }),
        await owner.call('POST', path, { file, headers: csv }),
        await owner.call('POST', path, { file, headers: { ...csv, 'transfer-encoding': 'chunked' } }),
      ]

      expect(answers.map(({ status }) => status)).toEqual([415, 415, 415, 413, 413])
    })

    it('only an administrator of every domain can import tokens', async () => {
      const [admin, adminOfBoth] = [
        await ofDomain('admin'),
        await administrator(running, { role: 'admin', domains: [running.domain.id, otherDomain] }),
      ]
      const text = `serial,seed\n${unique()},${seed()}`

      expect((await importing(admin, text)).code).toBe('api.error.forbidden.elsewhere')
      expect((await importing(adminOfBoth, text)).json).toMatchObject({ imported: 1 })
      expect([(await stock(admin)).changeable, (await stock(adminOfBoth)).changeable]).toEqual([false, true])
    })

    inFullRun('a token import is in the audit trail with its administrator and the reason', async () => {
      await importing(owner, `serial,seed\n${unique()},${seed()}`)

      running.clock.skip(60)
      const { entries } = (await owner.call('GET', '/audit?event=hardware.imported')).json

      expect(entries[0]).toMatchObject({ actor: { kind: 'administrator', id: owner.id }, facts: { count: 1, because } })
    })
  })

  describe('deleting', () => {
    const removing = (by: { call: Console['call'] }, id: string) =>
      by.call('POST', `/stock/${id}/delete`, { body: { because } })

    it('a free hardware token can be deleted, and no token of a person', async () => {
      const [free, person] = [await hardwareToken(running), await holder(running)]

      const answers = [await removing(owner, free.id), await removing(owner, person.token.id)]

      expect(answers.map(({ code }) => code)).toEqual([undefined, 'api.error.conflict.hardware'])
      expect((await person.token.show()).user).toBe(person.id)
      expect((await removing(owner, free.id)).code).toBe('api.error.notfound.hardware')
    })

    it('deleting a hardware token does not find the authenticator app of a person', async () => {
      const { answer } = await (await member(running)).enrollApp()

      expect((await removing(owner, answer.json.id)).code).toBe('api.error.notfound.hardware')
    })

    inFullRun('an administrator who does not manage every domain cannot delete hardware tokens', async () => {
      const { id } = await hardwareToken(running)

      expect((await removing(await ofDomain('admin'), id)).code).toBe('api.error.forbidden.elsewhere')
    })
  })

  describe('resynchronizing', () => {
    const resynchronizing = (by: { call: Console['call'] }, id: string, first: string, second: string) =>
      by.call('POST', `/people/${id}/hardware/resynchronize`, { body: { because, first, second } })

    inFullRun(
      'resynchronizing a token accepts two codes that follow each other, and the next code signs in',
      async () => {
        const { id, token, signIn } = await holder(running)

        const { json } = await resynchronizing(owner, id, token.code(9), token.code(10))

        expect(json.hardware.syncState).toBe('Synchronized')
        expect([(await signIn({ otp: token.code(10) })).state, (await signIn({ otp: token.code(11) })).state]).toEqual([
          'denied',
          'approved',
        ])
      },
    )

    it('resynchronizing a token refuses codes that do not follow each other, were used or are too far away', async () => {
      const { id, token, signIn } = await holder(running)
      await signIn({ otp: token.code(1) })

      const answers = [
        await resynchronizing(owner, id, token.code(5), token.code(7)),
        await resynchronizing(owner, id, token.code(0), token.code(1)),
        await resynchronizing(owner, id, token.code(12), token.code(13)),
      ]

      expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.invalid.otp'))
    })

    inFullRun('resynchronizing a token counts from what is known of its clock, not from the right time', async () => {
      const { id, token } = await holder(running)
      await resynchronizing(owner, id, token.code(8), token.code(9))

      const { json } = await resynchronizing(owner, id, token.code(18), token.code(19))

      expect(json.hardware.syncState).toBe('Synchronized')
    })

    inFullRun('an authenticator app cannot be resynchronized, because its clock is right', async () => {
      const person = await member(running)
      const { code } = await person.enrollApp()

      const answer = await resynchronizing(owner, person.id, code(5), code(6))

      expect(answer.code).toBe('api.error.notfound.hardware')
    })
  })
})
