import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { revokeAdministrator } from '../../../../src/service/features/administrators/administration.ts'
import { enrollmentMailProblem } from '../../../../src/service/features/people/may-mail.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { previewCode } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer, ReceivedMail } from '../../../support/mail-server.ts'
import { member, unique } from '../codes/code-holder.ts'
import { activateDevice } from '../../start-service.ts'
import type { Answer } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'

const because = 'new_device'
const day = 24 * 60 * 60
const authenticatorUrl = 'https://mfa.example'
const codeIn = ({ text }: Pick<ReceivedMail, 'text'>) =>
  /https:\/\/mfa\.example\/authenticator\/#code=(\w{10})\s/.exec(text)?.[1] ?? ''

type By = Awaited<ReturnType<typeof administrator>>

describe.each(mainEngines)('enrollment on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let mail: MailServer
  let running: Console
  let owner: By

  beforeAll(async () => {
    mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    running = await startConsole(await newDatabase(), { smtp, authenticatorUrl })
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  beforeEach(async () => {
    mail.take()
    mail.meanwhile(() => Promise.resolve())
    // Ceremonies are limited by address.
    running.clock.skip(600)
    owner = await administrator(running, { role: 'owner' })
  })

  const person = (more: Parameters<typeof member>[1] = {}) =>
    member(running, { email: `${unique()}@example.com`, ...more })
  const domains = () => [running.domain.id]
  const helpdesk = () =>
    administrator(running, { role: 'helpdesk', domains: domains(), email: `${unique()}@example.net` })
  const linkPath = (id: string, kind: 'mail' | 'link') =>
    `/people/${id}/domains/${running.domain.id}/enrollment-${kind}`
  const send = ({ call }: Pick<By, 'call'>, id: string, more: object = {}) =>
    call('POST', linkPath(id, 'mail'), { body: { because, ...more } })
  const show = ({ call }: Pick<By, 'call'>, id: string, more: object = {}) =>
    call('POST', linkPath(id, 'link'), { body: { because, ...more } })
  const get = async (id: string) => (await owner.call('GET', `/people/${id}`)).json
  /** Mails about changes of factors arrive between them. */
  const lastMail = () => mail.mails.findLast((each) => codeIn(each) !== '')!
  /** Does something while the next mail is on its way. */
  const meanwhile = (act: () => Promise<unknown>) => {
    let done: Promise<unknown> | undefined
    mail.meanwhile(async () => void (await (done ??= act())))
  }
  const works = async (code: string) => (await previewCode(running.origin, code)).status === 200
  /** As it is changed by an app. */
  const readdress = (id: string) => running.call('PUT', `/users/${id}`, { body: { email: `${unique()}@example.com` } })
  const synchronize = async (id: string) => {
    const { username } = (await running.call('GET', `/users/${id}`)).json
    const body = [{ username, name: 'New', email: `${unique()}@example.com` }]
    return running.call('PUT', `/domains/${running.domain.id}/users`, { body })
  }
  const outcomes = (answers: readonly Answer[]) => answers.map(({ status, code }) => code ?? status)

  describe('a person', () => {
    it('a person gets three enrollment mails in 24 hours, even when more are sent at once', async () => {
      const { id } = await person()
      const linked = () => mail.mails.filter((each) => codeIn(each) !== '').length
      const before = linked()

      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send(owner, id)))

      const late = await send(owner, id)
      running.clock.skip(day)
      await owner.signIn()
      expect(linked() - before).toBe(3)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
      expect(late.code).toBe('api.error.toomanyrequests')
      expect(late.headers.get('retry-after')).toBe(String(day))
      expect((await send(owner, id)).status).toBe(200)
    })

    it.each([
      ['an app', readdress],
      ['a synchronization', synchronize],
    ])('a mailed enrollment link stops working when %s changes the address', async (_, change) => {
      const { id } = await person()
      await send(owner, id)
      const code = codeIn(lastMail())
      const before = await works(code)

      await change(id)

      expect([before, await works(code)]).toEqual([true, false])
      expect((await get(id)).enrollmentMails[0].expiresAt).toBeLessThanOrEqual(running.clock.now())
    })

    it('an enrollment mail has no working link if the address changes while it is on its way', async () => {
      const { id } = await person()
      meanwhile(() => readdress(id))

      const answer = await send(owner, id)

      expect(answer.code).toBe('api.error.conflict.state')
      expect(await works(codeIn(lastMail()))).toBe(false)
    })

    it('an enrollment mail has no working link if a device is set up or the administrator loses access meanwhile', async () => {
      const [enrolling, other] = [await person(), await person()]
      const leaving = await administrator(running, { role: 'owner' })
      const { json: shownToken } = await show(owner, enrolling.id)
      meanwhile(() => activateDevice(running.origin, running.clock, shownToken.code))
      const enrolled = await send(owner, enrolling.id)
      const organizationId = running.organization.id
      meanwhile(() => revokeAdministrator(running.ctx, { organizationId, id: leaving.id }))

      const revoked = await send(leaving, other.id)

      expect(outcomes([enrolled, revoked])).toEqual(['api.error.conflict.device', 'api.error.unauthorized'])
      expect(await works(codeIn(lastMail()))).toBe(false)
    })

    inFullRun('a person is notified on the devices of other domains when an enrollment link is used', async () => {
      const enrolled = await personWithDevice(running)
      const other = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      await running.call('PUT', `/domains/${other.id}/users/${enrolled.id}`)
      const path = `/people/${enrolled.id}/domains/${other.id}/enrollment-mail`
      await owner.call('POST', path, { body: { because } })

      await activateDevice(running.origin, running.clock, codeIn(lastMail()))

      const inbox = await (await enrolled.device.inbox()).json()
      expect(inbox).toMatchObject({ notices: [{ kind: 'device_added' }] })
    })
  })

  describe('an e-mail address', () => {
    const change = ({ call }: Pick<By, 'call'>, id: string, version: string, email = `${unique()}@example.com`) =>
      call('PUT', `/people/${id}/email`, { body: { because, email }, headers: { 'if-match': `"${version}"` } })

    it('two administrators with the same version change an address once, and the other one reads what changed', async () => {
      const { id } = await person()
      const { version } = await get(id)

      const answers = await Promise.all([change(owner, id, version), change(owner, id, version)])

      const late = answers.find(({ status }) => status !== 200)!
      expect(outcomes(answers)).toEqual(expect.arrayContaining([200, 'api.error.precondition']))
      expect(late.json.errors[0].message).toMatch(new RegExp(`email at .* by administrator ${owner.id}`))
    })

    it('changing an e-mail address notifies the person at the old one', async () => {
      const old = `${unique()}@example.com`
      const { id } = await person({ email: old })

      const changed = await change(owner, id, (await get(id)).version, 'new@example.com')

      const toOld = () => mail.mails.find(({ to }) => to.includes(old))
      while (!toOld()) await mail.arrival()
      expect(changed.json).toMatchObject({ email: 'new@example.com', emailChangedAt: running.clock.now() })
      expect(toOld()?.text).toContain('Your e-mail address at')
      expect(toOld()?.text).not.toContain('new@example.com')
    })

    inFullRun.each(['', 'nobody', `${'a'.repeat(250)}@example.com`])(
      'an e-mail address cannot be changed to %j',
      async (email) => {
        const { id } = await person()

        expect((await change(owner, id, (await get(id)).version, email)).code).toBe('api.error.invalid.email')
      },
    )

    inFullRun(
      'changing an e-mail address needs the version, and for the help desk a verified caller or a consent',
      async () => {
        const [hal, { id }] = [await helpdesk(), await person()]
        const body = { because, email: 'new@example.com' }

        const answers = [
          await owner.call('PUT', `/people/${id}/email`, { body }),
          await change(hal, id, (await get(id)).version),
        ]

        expect(outcomes(answers)).toEqual(['api.error.precondition', 'api.error.forbidden.guarded'])
      },
    )
  })

  describe('a mail', () => {
    inFullRun('an enrollment mail contains a link and its QR code, which set up a device', async () => {
      const { id } = await person({ language: 'de' })

      const answer = await send(owner, id)

      const { subject, text, html, raw } = { subject: lastMail().headers.get('subject'), ...lastMail() }
      const code = codeIn(lastMail())
      expect(answer.status).toBe(200)
      expect(text).toContain('Richten Sie Ihre Anmeldung bei')
      expect(subject).not.toContain(code)
      expect(html).toContain(`href="https://mfa.example/authenticator/#code=${code}"`)
      expect(html).toContain('src="cid:link.gif"')
      expect(raw).toMatch(/Content-Type: image\/gif/)
      expect((await activateDevice(running.origin, running.clock, code)).signer.id).toMatch(/^[0-9a-f]{40}$/)
      expect((await get(id)).enrollmentMails).toEqual([])
    })

    inFullRun(
      'an enrollment link works for 7 days, or as long as the administrator chooses, and 30 at most',
      async () => {
        const [usual, longer] = [await person(), await person()]
        const sentAt = running.clock.now()
        await send(owner, usual.id)
        const short = codeIn(lastMail())
        await send(owner, longer.id, { days: 30 })
        const long = codeIn(lastMail())

        const mailStates = [(await get(usual.id)).enrollmentMails, (await get(longer.id)).enrollmentMails]
        running.clock.skip(7 * day)
        const working = [await works(short), await works(long)]
        running.clock.skip(23 * day)

        const [domain] = domains()
        expect(mailStates).toEqual([
          [{ domain, sentAt, expiresAt: sentAt + 7 * day }],
          [{ domain, sentAt, expiresAt: sentAt + 30 * day }],
        ])
        expect([...working, await works(long)]).toEqual([false, true, false])
      },
    )

    inFullRun.each([0, 31, 1.5])('an enrollment mail cannot have a link for %s days', async (days) => {
      const { id } = await person()

      expect((await send(owner, id, { days })).code).toBe('api.error.invalid.days')
    })

    inFullRun('an enrollment mail ends the link of an earlier mail', async () => {
      const { id } = await person()
      await send(owner, id)
      const first = codeIn(lastMail())

      await send(owner, id)

      expect([await works(first), await works(codeIn(lastMail()))]).toEqual([false, true])
    })

    it('an enrollment mail that cannot be sent leaves no working link, ends no earlier one, and does not count', async () => {
      const { id } = await person()
      await send(owner, id)
      const earlier = codeIn(lastMail())
      mail.refuse()

      const refused = [await send(owner, id), await send(owner, id), await send(owner, id)]

      const tokens = await running.ctx.store.db
        .selectFrom('token')
        .select('mailedAt')
        .where('userId', '=', id)
        .execute()
      mail.take()
      expect(outcomes(refused)).toEqual(Array(3).fill('api.error.unavailable.mail'))
      expect(tokens).toHaveLength(1)
      expect(await works(earlier)).toBe(true)
      expect((await send(owner, id)).status).toBe(200)
    })

    inFullRun('an enrollment mail tells a person with another factor that the device is another one', async () => {
      const [first, another] = [await person(), await person()]
      await another.enrollApp()

      await send(owner, first.id)
      const firstText = lastMail().text
      await send(owner, another.id)

      expect(firstText).toContain('from now on')
      expect(lastMail().text).toContain('another device')
    })

    it('an enrollment mail replaces no device, and is sent to no one without an address', async () => {
      const [enrolled, unreachable] = [await personWithDevice(running), await person({ email: null })]
      const last = lastMail()

      const answers = [await send(owner, enrolled.id), await send(owner, unreachable.id)]

      expect(outcomes(answers)).toEqual(['api.error.conflict.device', 'api.error.conflict.email'])
      expect(lastMail()).toBe(last)
    })

    inFullRun('an enrollment mail is in the audit trail, with the administrator and the reason', async () => {
      const { id } = await person()
      await send(owner, id)

      const rows = await running.ctx.store.db
        .selectFrom('audit')
        .selectAll()
        .where('event', '=', 'enrollment.mailed')
        .execute()
      const own = rows.find(({ facts }) => facts.includes(id))
      expect(own).toMatchObject({ actorKind: 'administrator', actorId: owner.id })
      expect(JSON.parse(own?.facts ?? '')).toMatchObject({ user: id, domain: running.domain.id, because })
    })
  })

  describe('the help desk', () => {
    inFullRun('the help desk can mail an enrollment link by itself to an address that has not changed', async () => {
      const [hal, { id }] = [await helpdesk(), await person()]

      expect((await send(hal, id)).status).toBe(200)
    })

    it.each([
      ['an app', readdress],
      ['a synchronization', synchronize],
      [
        'an administrator',
        async (id: string) => {
          const { version } = await get(id)
          const body = { because, email: `${unique()}@example.com` }
          return owner.call('PUT', `/people/${id}/email`, { body, headers: { 'if-match': `"${version}"` } })
        },
      ],
    ])(
      'the help desk needs a verified caller or a consent to mail an address that %s changed within 7 days',
      async (_, change) => {
        const { id } = await person()
        const changed = await change(id)
        running.clock.skip(7 * day - 1)
        const [hal, ada] = [await helpdesk(), await administrator(running, { role: 'admin', domains: domains() })]
        const alone = await send(hal, id)
        const parameters = { domainId: running.domain.id }
        const body = { operation: 'sendEnrollmentMail', parameters, because }
        const { json: consent } = await hal.call('POST', `/people/${id}/consents`, { body })
        await ada.call('POST', `/consents/${consent.id}/give`)

        const answers = [await send(hal, id), await send(hal, id)]
        running.clock.skip(1)

        expect(changed.status).toBe(200)
        expect(outcomes([alone, ...answers])).toEqual([
          'api.error.forbidden.guarded',
          200,
          'api.error.forbidden.guarded',
        ])
        expect((await send(hal, id)).status).toBe(200)
      },
    )

    /** A person whose address is new, or that of the agent, and a consent to mail a link there. */
    async function consented(address: 'new' | 'of the agent' = 'new') {
      const hal = await helpdesk()
      const { id } = await person(address === 'new' ? {} : { email: hal.session.administrator.email })
      if (address === 'new') await readdress(id)
      const ada = await administrator(running, { role: 'admin', domains: domains() })
      const body = { operation: 'sendEnrollmentMail', parameters: { domainId: running.domain.id }, because }
      const { json: consent } = await hal.call('POST', `/people/${id}/consents`, { body })
      await ada.call('POST', `/consents/${consent.id}/give`)
      return { id, hal, deny: () => ada.call('POST', `/consents/${consent.id}/deny`) }
    }

    it.each([
      ['new', 'api.error.forbidden.guarded'],
      ['of the agent', 'api.error.forbidden.sameaddress'],
    ] as const)(
      'the help desk keeps its consent when the mail cannot be sent (address: %s)',
      async (address, without) => {
        const { id, hal } = await consented(address)
        mail.refuse()
        const refused = await send(hal, id)
        mail.take()

        const answers = [refused, await send(hal, id), await send(hal, id)]

        expect(outcomes(answers)).toEqual(['api.error.unavailable.mail', 200, without])
      },
    )

    it('the help desk mails no working link if a colleague denies it while the mail is on its way', async () => {
      const { id, hal, deny } = await consented()
      let denied: Answer | undefined
      meanwhile(async () => {
        denied = await deny()
      })

      const answer = await send(hal, id)

      expect(outcomes([denied!, answer])).toEqual([200, 'api.error.forbidden.guarded'])
      expect(await works(codeIn(lastMail()))).toBe(false)
    })

    inFullRun(
      'the help desk can mail an enrollment link to a new address of a caller whom it has verified',
      async () => {
        const hal = await helpdesk()
        const caller = await personWithDevice(running)
        await readdress(caller.id)
        const other = await running.service.administration.createDomain(running.organization.id, { name: unique() })
        await running.call('PUT', `/domains/${other.id}/users/${caller.id}`)
        const bothDomains = [running.domain.id, other.id]
        const agent = await administrator(running, {
          role: 'helpdesk',
          domains: bothDomains,
          email: `${unique()}@example.net`,
        })
        const path = `/people/${caller.id}/domains/${other.id}/enrollment-mail`
        const unverified = await agent.call('POST', path, { body: { because } })
        await (await askedCaller(agent, caller)).confirm()

        const verified = await agent.call('POST', path, { body: { because } })

        expect(outcomes([unverified, verified])).toEqual(['api.error.forbidden.guarded', 200])
        expect((await send(hal, caller.id)).code).toBe('api.error.conflict.device')
      },
    )

    it('the help desk sees an enrollment link on the screen only with a verified caller or a consent', async () => {
      const [hal, { id }] = [await helpdesk(), await person()]

      expect((await show(hal, id)).code).toBe('api.error.forbidden.guarded')
    })

    it('a help desk agent can send 200 enrollment mails a day', async () => {
      const [hal, { id }] = [await helpdesk(), await person()]
      const at = running.clock.now()
      const scope = `enrollment mail by ${hal.id}`
      const attempts = Array.from({ length: 200 }, () => ({ scope, at }))
      await running.ctx.store.db.insertInto('attempt').values(attempts.slice(1)).execute()
      const last = await send(hal, id)

      const next = await send(hal, (await person()).id)

      expect(outcomes([last, next])).toEqual([200, 'api.error.toomanyrequests'])
      expect(next.headers.get('retry-after')).toBe(String(day))
    })
  })

  describe('the decision, also for many people at once,', () => {
    const decide = async (role: 'owner' | 'helpdesk', id: string, more: object = {}) => {
      const { organization, domain, ctx } = running
      const caller = {
        id: owner.id,
        organizationId: organization.id,
        role,
        domainIds: null,
        userId: null,
        email: 'own@example.com',
        session: { hash: '', signedInAt: 0, usedAt: 0, passedAt: 0 },
        ...more,
      }
      const call = {
        ...ctx,
        senders: { ...ctx.senders, email: { send: () => Promise.resolve() } },
        authenticatorUrl,
        organizationId: organization.id,
        role: 'admin',
        limitedTo: null,
        version: '1.4',
        console: { origin: '', rpId: '', administrator: caller, countUnsigned: () => {} },
      } as const
      return (await enrollmentMailProblem(ctx.store.db, call, { userId: id, domainId: domain.id }))?.code
    }

    it('the enrollment decision keeps administrators from their own record and the help desk from a person who said No', async () => {
      const linked = await person()
      const caller = await personWithDevice(running)
      await (await askedCaller(await helpdesk(), caller)).answer('deny')

      const decided = [
        await decide('owner', linked.id, { userId: linked.id }),
        await decide('helpdesk', caller.id),
        await decide('owner', caller.id),
        await decide('helpdesk', (await person()).id),
      ]

      expect(decided).toEqual([
        'api.error.forbidden.own',
        'api.error.forbidden.blocked',
        'api.error.conflict.device',
        undefined,
      ])
    })

    it('deciding whether an enrollment mail may be sent uses nothing up', async () => {
      const { id } = await person()

      for (let times = 0; times < 5; times += 1) await decide('owner', id)

      expect(await decide('owner', id)).toBeUndefined()
    })
  })

  describe('a link on the screen', () => {
    inFullRun('an enrollment link on the screen is the one that was mailed, while it works', async () => {
      const { id } = await person()
      await send(owner, id, { days: 3 })

      const { json } = await show(owner, id)

      expect(json).toEqual({
        link: `https://mfa.example/authenticator/#code=${codeIn(lastMail())}`,
        code: codeIn(lastMail()),
        expiresAt: running.clock.now() + 3 * day,
      })
    })

    it('an enrollment link on the screen works as long as the administrator chooses', async () => {
      const { id } = await person()

      const { json } = await show(owner, id, { days: 2 })

      expect(json.expiresAt).toBe(running.clock.now() + 2 * day)
      expect(await works(json.code)).toBe(true)
    })

    inFullRun('an enrollment link on the screen that replaces a device works for 15 minutes', async () => {
      const { id } = await personWithDevice(running)

      const { json } = await show(owner, id, { days: 30 })

      expect(json.expiresAt).toBe(running.clock.now() + 900)
      expect(await works(json.code)).toBe(true)
    })
  })
})
