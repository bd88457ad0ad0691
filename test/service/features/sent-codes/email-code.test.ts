import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { previewCode } from '../../../support/device-signer.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { member, otherThan, unique } from '../codes/code-holder.ts'
import { createTenant, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running
let server: MailServer

beforeAll(async () => {
  server = await startMailServer()
  running = await startService({ smtp: smtp() }, { emailOtpEnabled: true })
})
afterEach(() => server.take())
afterAll(async () => {
  await running.close()
  await server.close()
})

const minute = 60
const hour = 60 * minute
const smtp = () => ({ host: '127.0.0.1', port: server.port, from: 'Example <mfa@example.com>' })
const sendingPath = (userId: string, domainId = running.domain.id) => `/domains/${domainId}/users/${userId}/otp`
const email = { deliverableOTPType: 'EMAIL' }

async function person() {
  const address = `${unique()}@example.com`
  const user = await member(running, { email: address })
  const send = () => running.call('POST', sendingPath(user.id), { body: email })
  const mails = () => server.mails.filter(({ to }) => to.includes(address))
  /** Sends a code, and reads it in the mail. */
  const mailed = async () => {
    const { status, code } = await send()
    return status === 200 ? (mails().at(-1)?.code ?? '') : `${status} ${code}`
  }
  return { ...user, address, send, mails, mailed }
}

describe('an e-mailed code', () => {
  inFullRun('an e-mailed code signs its recipient in, once', async () => {
    const { mailed, signIn } = await person()

    const otp = await mailed()
    const sessions = [await signIn({ otp }), await signIn({ otp })]

    expect(otp).toMatch(/^\d{6}$/)
    expect(sessions).toMatchObject([
      { state: 'approved', factor: 'email' },
      { state: 'denied', reason: 'wrong_code' },
    ])
  })

  it('an e-mailed code counts as a factor once it was used: then the password alone sets up no first one', async () => {
    const { id, mailed, signIn, enrollApp, show } = await person()
    const first = `/domains/${running.domain.id}/users/${id}/token/first`
    const noted = (await running.call('PUT', first)).json.code
    expect(await signIn({ otp: '000000' })).toMatchObject({ state: 'denied' })
    expect((await show()).everEnrolled).toBe(false)

    await signIn({ otp: await mailed() })

    const late = [await running.call('PUT', first), (await enrollApp({ first: true })).answer]
    expect(late.map(({ code }) => code)).toEqual(Array(2).fill('api.error.conflict.enrolled'))
    expect((await previewCode(running.origin, noted)).status).toBe(404)
  })

  inFullRun('sending an e-mailed code returns an empty response', async () => {
    const { send } = await person()

    const answer = await send()

    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0'])
  })

  it('an e-mailed code is accepted once when 64 requests use it at once', async () => {
    const { mailed, signIn } = await person()
    const otp = await mailed()

    const sessions = await Promise.all(Array.from({ length: 64 }, () => signIn({ otp })))

    expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(1)
  })

  it('an e-mailed code works for ten minutes, and not a second longer', async () => {
    // Not at the time of a sweep: the code has to expire without one.
    await running.clock.advance(7)
    const [inTime, late] = [await person(), await person()]
    const codes = [await inTime.mailed(), await late.mailed()]

    await running.clock.advance(10 * minute - 1)
    const first = await inTime.signIn({ otp: codes[0] })
    await running.clock.advance(1)
    const second = await late.signIn({ otp: codes[1] })

    expect([first.state, second.state]).toEqual(['approved', 'denied'])
  })

  inFullRun('an e-mailed code invalidates the one before it', async () => {
    const { mailed, signIn } = await person()
    const old = await mailed()
    await running.clock.advance(minute)
    const newCode = await mailed()

    const sessions = [await signIn({ otp: old }), await signIn({ otp: newCode })]

    expect(sessions.map(({ state }) => state)).toEqual(['denied', 'approved'])
  })

  inFullRun('an e-mailed code still works after four wrong ones and is invalid after five', async () => {
    const [four, five] = [await person(), await person()]
    const outcome = async ({ mailed, signIn }: Awaited<ReturnType<typeof person>>, wrong: number) => {
      const otp = await mailed()
      for (let count = 0; count < wrong; count += 1) await signIn({ otp: otherThan(otp) })
      return (await signIn({ otp })).state
    }

    expect([await outcome(four, 4), await outcome(five, 5)]).toEqual(['approved', 'denied'])
  })

  inFullRun('an e-mailed code is invalid after five wrong ones at once', async () => {
    const { mailed, signIn } = await person()
    const otp = await mailed()

    await Promise.all(Array.from({ length: 5 }, () => signIn({ otp: otherThan(otp) })))

    expect((await signIn({ otp })).state).toBe('denied')
  })

  inFullRun('an e-mailed code works only for its user and its domain', async () => {
    const [owner, other] = [await person(), await person()]
    const domain = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
      emailOtpEnabled: true,
    })
    await running.call('PUT', `/domains/${domain.id}/users/${owner.id}`)
    const otp = await owner.mailed()

    const elsewhere = await running.call('POST', `/domains/${domain.id}/sessions`, {
      body: { user: { id: owner.id }, otp },
    })
    const sessions = [await other.signIn({ otp }), await owner.signIn({ otp })]

    expect(elsewhere.json.state).toBe('denied')
    expect(sessions.map(({ state }) => state)).toEqual(['denied', 'approved'])
  })

  inFullRun('an e-mailed code stops working when its user leaves the domain, even if the user returns', async () => {
    const { id, mailed, signIn } = await person()
    const otp = await mailed()

    await running.call('DELETE', `/domains/${running.domain.id}/users/${id}`)
    await running.call('PUT', `/domains/${running.domain.id}/users/${id}`)

    expect((await signIn({ otp })).state).toBe('denied')
  })

  inFullRun('an e-mailed code stops working when the domain no longer accepts it', async () => {
    const { mailed, signIn } = await person()
    const otp = await mailed()
    const set = (emailOtpEnabled: boolean) =>
      running.service.administration.setDomain(running.organization.id, running.domain.id, { emailOtpEnabled })

    await set(false)
    const off = await signIn({ otp })
    await set(true)

    expect(off.state).toBe('denied')
  })

  inFullRun('an e-mailed code does not prevent its user from being deleted', async () => {
    const { path, mailed } = await person()
    await mailed()

    expect((await running.call('DELETE', path)).status).toBe(200)
  })

  it('an e-mailed code counts as a factor if a domain of the user accepts it', async () => {
    const { show, id } = await person()
    await running.call('DELETE', `/domains/${running.domain.id}/users/${id}`)
    const without = await show()

    await running.call('PUT', `/domains/${running.domain.id}/users/${id}`)

    expect([without.factors, (await show()).factors]).toEqual([[], ['email']])
  })
})

describe('sending a code', () => {
  inFullRun('a code can be e-mailed once a minute, and the code sent before still works', async () => {
    const { mailed, send, signIn } = await person()
    const otp = await mailed()

    await running.clock.advance(minute - 1)
    const early = await send()
    const session = await signIn({ otp })
    await running.clock.advance(1)
    const laterSending = await send()

    expect([early.status, early.code, early.headers.get('retry-after')]).toEqual([
      429,
      'api.error.toomanyrequests',
      '1',
    ])
    expect([session.state, laterSending.status]).toEqual(['approved', 200])
  })

  inFullRun('a code can be e-mailed five times an hour', async () => {
    const { send, mails } = await person()
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await send()).status)
      await running.clock.advance(2 * minute)
    }
    const sixth = await send()
    await running.clock.advance(Number(sixth.headers.get('retry-after')))
    const later = await send()

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect(sixth.headers.get('retry-after')).toBe(String(48 * minute))
    expect(later.status).toBe(200)
    expect(mails()).toHaveLength(6)
  })

  inFullRun('a code is e-mailed once when 64 requests ask for it at once', async () => {
    const { send, mails } = await person()

    const answers = await Promise.all(Array.from({ length: 64 }, () => send()))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'api.error.toomanyrequests')).toHaveLength(63)
    expect(mails()).toHaveLength(1)
  })

  inFullRun(
    'e-mailing codes pauses for 24 hours after the address changes, and the code in the old mailbox stops working',
    async () => {
      const { path, mailed, send, signIn } = await person()
      const otp = await mailed()
      await running.call('PUT', path, { body: { email: `new-${unique()}@example.com` } })
      const changedAt = running.clock.now()

      const session = await signIn({ otp })
      const blocked = await send()
      running.clock.skip(24 * hour - 1)
      const early = await send()
      await running.clock.advance(1)
      const later = await send()

      expect(session.state).toBe('denied')
      expect([blocked.code, Number(blocked.headers.get('retry-after'))]).toEqual([
        'api.error.toomanyrequests',
        24 * hour,
      ])
      expect(early.headers.get('retry-after')).toBe('1')
      expect([later.status, running.clock.now() - changedAt]).toEqual([200, 24 * hour])
    },
  )

  inFullRun('e-mailing a code to an address that changes meanwhile leaves no working code behind', async () => {
    const { path, send, mails, signIn } = await person()
    server.meanwhile(async () => {
      await running.call('PUT', path, { body: { email: `new-${unique()}@example.com` } })
    })

    const answer = await send()
    server.meanwhile(() => Promise.resolve())

    expect([answer.status, mails().length]).toEqual([429, 1])
    expect(await signIn({ otp: mails()[0]?.code })).toMatchObject({ state: 'denied' })
  })

  inFullRun('e-mailing a code to a user who leaves the domain meanwhile leaves no working code behind', async () => {
    const { id, send, mails, signIn } = await person()
    const membership = `/domains/${running.domain.id}/users/${id}`
    server.meanwhile(async () => {
      await running.call('DELETE', membership)
    })

    const answer = await send()
    server.meanwhile(() => Promise.resolve())
    await running.call('PUT', membership)

    expect(answer.code).toBe('api.error.notfound.user')
    expect(await signIn({ otp: mails()[0]?.code })).toMatchObject({ state: 'denied' })
  })

  inFullRun(
    'e-mailing codes does not pause when the same address is written again, or when the name changes',
    async () => {
      const { path, address, mailed } = await person()
      await running.call('PUT', path, { body: { email: address, name: 'Another' } })

      expect(await mailed()).toMatch(/^\d{6}$/)
    },
  )

  it('e-mailing a code needs a domain that allows it', async () => {
    const { id } = await person()
    const domain = await running.service.administration.createDomain(running.organization.id, { name: unique() })
    await running.call('PUT', `/domains/${domain.id}/users/${id}`)

    const answer = await running.call('POST', sendingPath(id, domain.id), { body: email })

    expect([answer.status, answer.code]).toEqual([409, 'api.error.conflict.emailotpenabled'])
  })

  inFullRun('an e-mailed code stops working when its domain sends none any more', async () => {
    const { mailed, signIn } = await person()
    const { administration } = running.service
    const [otp, { id }] = [await mailed(), running.domain]

    await administration.setDomain(running.organization.id, id, { emailOtpEnabled: false })
    const denied = await signIn({ otp })
    await administration.setDomain(running.organization.id, id, { emailOtpEnabled: true })

    expect([denied.state, (await signIn({ otp })).state]).toEqual(['denied', 'approved'])
  })

  it.each([undefined, '', 'SMS', 'email', null])(
    'sending a code of type %j is rejected',
    async (deliverableOTPType) => {
      const { id } = await person()

      const answer = await running.call('POST', sendingPath(id), { body: { deliverableOTPType } })

      expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.deliverableotptype'])
    },
  )

  it('e-mailing a code needs a user of the domain, and a domain of the organization', async () => {
    const { id } = await person()
    const stranger = await createTenant(running.service, running.origin, { emailOtpEnabled: true })

    const answers = [
      await running.call('POST', sendingPath(unknownId), { body: email }),
      await running.call('POST', sendingPath(id, unknownId), { body: email }),
      await stranger.call('POST', sendingPath(id), { body: email }),
      await stranger.call('POST', sendingPath(id, stranger.domain.id), { body: email }),
    ]

    expect(answers.map(({ code }) => code)).toEqual([
      'api.error.notfound.user',
      'api.error.notfound.domain',
      'api.error.notfound.domain',
      'api.error.notfound.user',
    ])
  })
})

describe('a mail server that fails', () => {
  const refusal = { status: 503, code: 'api.error.unavailable.mail' }

  it('a failing mail server causes its own error code; nothing is counted, and the previous code still works', async () => {
    const { mailed, send, signIn } = await person()
    const otp = await mailed()
    await running.clock.advance(minute)
    server.refuse()

    const refused = [await send(), await send()]
    const session = await signIn({ otp })
    server.take()
    const mailedCode = await mailed()

    expect(refused).toMatchObject([refusal, refusal])
    expect(refused[0]?.headers.get('retry-after')).toBe('10')
    expect(session.state).toBe('approved')
    expect(mailedCode).toMatch(/^\d{6}$/)
  })

  it('a failing mail server causes the previous error for callers of 1.3, which do not know the new code', async () => {
    const { id } = await person()
    server.refuse()

    const answer = await running.call('POST', sendingPath(id), {
      body: email,
      headers: { accept: 'application/vnd.service.v1+json' },
    })

    expect(answer).toMatchObject({ status: 503, code: 'api.error.unavailable' })
    expect(answer.text).toBe(
      '{"errors":[{"code":"api.error.unavailable","message":"The service is not available right now."}]}',
    )
    expect(answer.headers.get('retry-after')).toBe('10')
  })

  inFullRun('codes that the mail server refuses do not count toward the five codes an hour', async () => {
    const { send } = await person()
    server.refuse()
    for (let count = 0; count < 6; count += 1) await send()
    server.take()

    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await send()).status)
      await running.clock.advance(minute)
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })

  it('a mail server is not called for a user without an address', async () => {
    let connections = 0
    const counting = await startMailServer({
      onConnect(_session, connected) {
        connections += 1
        connected()
      },
    })
    const node = await startService({ smtp: { ...smtp(), port: counting.port } }, { emailOtpEnabled: true })
    const { id } = await member(node, { email: null })

    const answer = await node.call('POST', sendingPath(id, node.domain.id), { body: email })
    await node.close()
    await counting.close()

    expect(answer).toMatchObject(refusal)
    expect(connections).toBe(0)
  })

  it('a mail server that never answers times out before the service’s callers do', async () => {
    const { send } = await person()
    server.hang()
    const waiting = running.clock.timerSet(8)
    let refused = false

    const sending = send().finally(() => (refused = true))
    await waiting
    const before = refused
    await running.clock.advance(8)

    expect(await sending).toMatchObject(refusal)
    expect(before).toBe(false)
  })

  inFullRun('a failing mail server leaves neither the code nor the address in the log', async () => {
    const { send, address } = await person()
    server.refuse()
    running.logged.splice(0)

    await send()

    const logged = JSON.stringify(
      running.logged.map(({ details, message }) => [details, message, String(Reflect.get(details, 'err'))]),
    )
    expect(logged).toContain('responseCode 452')
    expect(logged).not.toContain(address)
    expect(logged).not.toMatch(/\b\d{3} ?\d{3}\b/)
  })

  inFullRun('a mail server that is down or not configured causes the same error as a failing one', async () => {
    const gone = await startMailServer()
    await gone.close()
    const ask = async (options: Parameters<typeof startService>[0]) => {
      const other = await startService(options, { emailOtpEnabled: true })
      const { id } = await member(other)
      const answer = await other.call('POST', sendingPath(id, other.domain.id), { body: email })
      await other.close()
      return answer
    }

    expect(await ask({ smtp: { ...smtp(), port: gone.port } })).toMatchObject(refusal)
    expect(await ask({})).toMatchObject(refusal)
  })

  inFullRun('a mail server without TLS gets no code, unless it is local or explicitly allowed', async () => {
    // The same server by a name that does not have to be local.
    const host = '::ffff:127.0.0.1'
    const ask = async (more: object) => {
      const other = await startService({ smtp: { ...smtp(), host, ...more } }, { emailOtpEnabled: true })
      const { id } = await member(other)
      const answer = await other.call('POST', sendingPath(id, other.domain.id), { body: email })
      await other.close()
      return answer.status
    }

    expect([await ask({}), await ask({ allowInsecure: true })]).toEqual([503, 200])
  })
})

describeInFullRun('a mail server with a password', () => {
  it('a mail server with a password receives the password', async () => {
    const credentials: unknown[] = []
    const guarded = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        credentials.push([username, password])
        done(undefined, { user: 'mfa' })
      },
    })
    const url = `smtp://mfa:p%40ss@127.0.0.1:${guarded.port}`
    const other = await startService({ smtp: { url, from: 'mfa@example.com' } }, { emailOtpEnabled: true })
    const { id } = await member(other)

    const answer = await other.call('POST', sendingPath(id, other.domain.id), { body: email })
    await other.close()
    await guarded.close()

    expect(answer.status).toBe(200)
    expect(credentials).toEqual([['mfa', 'p@ss']])
    expect(guarded.mails[0]?.from).toBe('mfa@example.com')
  })
})

describeInFullRun('the mail', () => {
  it('the mail with a code says in plain text and in HTML what it is for and what to do', async () => {
    const { mailed, mails, address } = await person()
    const code = await mailed()
    const [mail] = mails()
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`

    expect(mail?.to).toEqual([address])
    expect(mail?.headers.get('from')).toBe('Example <mfa@example.com>')
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
    for (const content of [mail?.text, mail?.html]) {
      expect(content).toContain('Your code for Domain')
      expect(content).toContain(spaced)
      expect(content).toContain('once, for 10 minutes')
      expect(content?.replace('&#39;', "'")).toContain("If you didn't ask for it, change your password.")
      expect(content).toContain(running.organization.name)
    }
  })

  it('the mail with a code has no code and no user-chosen name in its subject', async () => {
    const { mailed, mails, username } = await person()
    const code = await mailed()
    const [mail] = mails()

    expect(mail?.headers.get('subject')).toBe('Your code for Domain')
    expect(mail?.headers.get('subject')).not.toContain(code)
    expect(mail?.raw).not.toContain(`Name of ${username}`)
  })
})
