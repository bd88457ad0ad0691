import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'
import { hardwareToken, holder, member, otherThan } from './code-holder.ts'
import { createCall, keysFor, startService, wideLimits } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let postgres: Postgres
let mailServer: MailServer
let first: Running
let second: Service
let door: Listening
/** Alternates between both nodes. */
let running: Running

beforeAll(async () => {
  ;[postgres, mailServer] = await Promise.all([openPostgres(), startMailServer()])
  const database = await postgres.createDatabase()
  const smtp = { host: '127.0.0.1', port: mailServer.port, from: 'mfa@example.com' }
  first = await startService({ database, smtp }, { bypassEnabled: true, emailOtpEnabled: true })
  second = await createService({ database, smtp, clock: first.clock, limits: wideLimits, ...keysFor(database) })
  door = await listen(second.listener, { host: '127.0.0.1', port: 0 })
  const calls = [first.call, createCall(`http://127.0.0.1:${door.port}`, first.apiKey)]
  let count = 0
  running = { ...first, call: (...args) => calls[(count += 1) % 2]!(...args) }
})
afterAll(async () => {
  await Promise.all([first.close(), door.close(), second.close(), mailServer.close()])
  await postgres.stop()
})

const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, act))
const approved = (sessions: { state: string }[]) => sessions.filter(({ state }) => state === 'approved').length

describe('on two nodes with one database', () => {
  it('two nodes accept the code of a token once when 64 requests use it at once', async () => {
    const { token, signIn } = await holder(running)
    const otp = token.code()

    expect(approved(await times(64, () => signIn({ otp })))).toBe(1)
  })

  it('two nodes accept the code of a counter once when 64 requests use it at once', async () => {
    const { token, signIn } = await holder(running, { algorithm: 'SHA1', digits: 6, counter: 0 })
    const otp = token.code(2)

    expect(approved(await times(64, () => signIn({ otp })))).toBe(1)
  })

  it('two nodes accept a bypass code with five uses five times when 64 requests use it at once', async () => {
    const { path, signIn } = await member(running)
    const { json } = await running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 5, expirationTime: 1 } })

    expect(approved(await times(64, () => signIn({ bypasscode: json.code })))).toBe(5)
  })

  inFullRun('a user has five bypass codes when 64 are created at once on two nodes', async () => {
    const { path, show } = await member(running)

    const answers = await times(64, () =>
      running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 1 } }),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 'api.error.limit.bypasscodes')).toHaveLength(59)
    expect((await show()).bypasscodes).toHaveLength(5)
  })

  inFullRun(
    'two nodes assign a token to one user, and one token to a user, when all are assigned at once',
    async () => {
      const people = await times(8, () => member(running))
      const tokens = await times(2, () => hardwareToken(running))

      const answers = await Promise.all(
        people.flatMap(({ path }) => tokens.map(({ id }) => running.call('PUT', `${path}/hardware/${id}`))),
      )

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
      expect(answers.filter(({ code }) => code === 'api.error.conflict.hardware')).toHaveLength(14)
    },
  )

  inFullRun('two nodes e-mail one code when 16 are requested at once, and accept it once', async () => {
    const address = 'nodes@example.com'
    const { id, signIn } = await member(running, { email: address })
    const path = `/domains/${running.domain.id}/users/${id}/otp`

    const answers = await times(16, () => running.call('POST', path, { body: { deliverableOTPType: 'EMAIL' } }))
    const mails = mailServer.mails.filter(({ to }) => to.includes(address))
    const sessions = await times(16, () => signIn({ otp: mails[0]?.code }))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([mails.length, approved(sessions)]).toEqual([1, 1])
  })

  inFullRun('wrong codes that arrive at two nodes at once each count against the e-mailed one', async () => {
    const address = 'wrong@example.com'
    const { id, signIn } = await member(running, { email: address })
    await running.call('POST', `/domains/${running.domain.id}/users/${id}/otp`, {
      body: { deliverableOTPType: 'EMAIL' },
    })
    const otp = mailServer.mails.find(({ to }) => to.includes(address))?.code ?? ''

    await times(5, () => signIn({ otp: otherThan(otp) }))

    expect(await signIn({ otp })).toMatchObject({ state: 'denied' })
  })

  inFullRun('a user can be deleted while two nodes create bypass codes, and nothing is left of either', async () => {
    const { path } = await member(running)
    const make = () => running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 1 } })

    const [deleted, ...creations] = await Promise.all([running.call('DELETE', path), make(), make(), make(), make()])

    expect(deleted?.status).toBe(200)
    for (const { status, code } of creations) expect(status === 200 || code === 'api.error.notfound.user').toBe(true)
    expect((await make()).code).toBe('api.error.notfound.user')
  })
})
