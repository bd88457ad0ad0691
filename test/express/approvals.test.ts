import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { createWatchedClock, quickHash } from '../service/start-service.ts'
import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { fieldsOn, headlineOf, numberOn, postJson, startBank } from './approving-app.ts'
import type { Bank, BankOptions } from './approving-app.ts'

const transfer = { to: 'anna', amount: '250' }

/** A bank with a transfer that alice has approved, and that has not run yet. */
async function approvedTransfer(options: BankOptions = {}) {
  const bank = await startBank(options)
  const { browser, account } = await bank.signedIn()
  const page = await browser.submit('/transfer', transfer)
  await bank.answer(account, 'approve', numberOn(page))
  return { bank, browser, account, page }
}

/** What the answer says, and how often the action has run. */
const outcomeOf = (bank: Bank, answer: { text: string }) => [headlineOf(answer), bank.runs.length]

/** Presses "Ask again" on a page: the browser sends the same fields to the app. */
async function askAgain(browser: Browser, page: { text: string }) {
  const [, address = ''] = /action="([^"]+)" id="repeat"/.exec(page.text) ?? []
  const fields = Object.fromEntries(fieldsOn(page))
  const { status, headers } = await browser.submit(address.replaceAll('&amp;', '&'), fields)
  if (status === 303) return browser.open(headers['location'] ?? '')
  if (status !== 307) throw new Error(`Asking again answered ${status}.`)
  return browser.submit(headers['location'] ?? '', fields)
}

const askedAgain = ['Approve this action', 0]

describe('requireApproval()', () => {
  inFullRun('requireApproval() runs a transfer once after its approval, with the id of the approval', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const page = await browser.submit('/transfer', transfer)
    const ranBefore = bank.runs.length
    const [shown] = await bank.waiting(account)
    await bank.answer(account, 'approve', numberOn(page))
    const done = await browser.submit('/transfer', Object.fromEntries(fieldsOn(page)))

    expect(page.status).toBe(200)
    expect(headlineOf(page)).toBe('Approve this action')
    expect(page.text).toContain('Transfer 250')
    expect(JSON.parse(shown?.content ?? '')).toMatchObject({ title: 'Transfer 250', requester: { kind: 'self' } })
    expect(ranBefore).toBe(0)
    expect(done.text).toBe('sent Transfer 250')
    expect(bank.runs).toEqual([{ id: shown?.id, path: '/transfer', body: transfer }])
    expect(bank.events.map(({ type }) => type).slice(-2)).toEqual(['approval.requested', 'approval.approved'])
  })

  it('requireApproval() asks nobody before the second step was passed', async () => {
    const bank = await startBank({ mfa: { gate: false } })
    const { account } = await bank.enroll(bank.browser(), 'alice', '/mfa')
    const other = bank.browser()
    await bank.signIn(other, 'alice')

    const answer = await other.submit('/transfer', transfer)
    const refused = await postJson(other, '/transfer', transfer)

    expect([answer.status, answer.headers['location']]).toEqual([303, '/mfa'])
    expect(refused.body).toMatchObject({ error: 'mfa_required' })
    expect(await bank.waiting(account)).toEqual([])
  })

  it('requireApproval() asks again for another body', async () => {
    const { bank, browser } = await approvedTransfer()

    expect(outcomeOf(bank, await browser.submit('/transfer', { ...transfer, memo: 'for mallory' }))).toEqual(askedAgain)
  })

  it.each([
    ['line breaks', 'a\r\nb', 'a\nb'],
    ['a carriage return', 'a\nb', 'a\rb'],
    ['the sign of zero', 0, -0],
    ['a number as text', 1, '1'],
    ['a list of one', 'a', ['a']],
    ['a member that is named like the prototype', JSON.parse('{}'), JSON.parse('{"__proto__":1}')],
  ])('requireApproval() asks again for a body that differs in %s alone', async (_name, first, second) => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    // JSON.stringify() writes -0 as 0.
    const send = (memo: unknown) =>
      postJson(browser, '/transfer', { ...transfer, memo: Object.is(memo, -0) ? 'zero' : memo }, {}, 'POST', (text) =>
        text.replace('"zero"', '-0'),
      )
    const refused = await send(first)
    await bank.answer(account, 'approve', refused.body.approval.number)

    const other = await send(second)

    expect([other.body.error, bank.runs.length]).toEqual(['approval_required', 0])
    expect((await send(first)).text).toBe('sent Transfer 250')
  })

  it('requireApproval() asks again for another body that came without its length, as over HTTP/2', async () => {
    const bank = await startBank({
      before: [
        (req, _res, next) => {
          delete req.headers['content-length']
          next()
        },
      ],
    })
    const { browser, account } = await bank.signedIn()
    const page = await browser.submit('/transfer', transfer)
    await bank.answer(account, 'approve', numberOn(page))

    expect(outcomeOf(bank, await browser.submit('/transfer', { ...transfer, memo: 'for mallory' }))).toEqual(askedAgain)
    expect((await browser.submit('/transfer', transfer)).text).toBe('sent Transfer 250')
  })

  it('requireApproval() asks again for another address, however similar the action looks', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const page = await browser.open('/pay/anna?cur=EUR')
    await bank.answer(account, 'approve', numberOn(page))

    expect(outcomeOf(bank, await browser.open('/pay/mallory?cur=EUR'))).toEqual(askedAgain)
    expect(outcomeOf(bank, await browser.open('/pay/anna?cur=USD'))).toEqual(askedAgain)
    expect((await browser.open('/pay/anna?cur=EUR')).text).toBe('sent Pay')
  })

  it('requireApproval() asks again for another method', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const { body } = await postJson(browser, '/transfer', transfer)
    await bank.answer(account, 'approve', body.approval.number)

    const answer = await postJson(browser, '/transfer', transfer, {}, 'PUT')

    expect(answer.body).toMatchObject({ error: 'approval_required' })
    expect(answer.body.approval.id).not.toBe(body.approval.id)
    expect(bank.runs).toEqual([])
  })

  it('requireApproval() computes the action again before it runs, and asks again if it has changed', async () => {
    const { bank, browser } = await approvedTransfer()
    bank.rate.text = '1.20'

    expect(outcomeOf(bank, await browser.submit('/transfer', transfer))).toEqual(askedAgain)
  })

  it('requireApproval() asks again in another browser that sends the same web session', async () => {
    const { bank, browser } = await approvedTransfer()
    const thief = browser.copy()
    const binding = 'mfa-binding'

    const answer = await thief.send(
      'POST',
      '/transfer',
      {
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `connect.sid=${browser.cookie('connect.sid')}`,
      },
      new URLSearchParams(transfer).toString(),
    )

    expect(browser.cookies()).toContain(binding)
    expect(outcomeOf(bank, answer)).toEqual(askedAgain)
  })

  inFullRun('requireApproval() asks again for another user of the same browser', async () => {
    const { bank, browser } = await approvedTransfer()
    await browser.open('/logout')
    await bank.verify(browser, 'bob')

    expect(outcomeOf(bank, await browser.submit('/transfer', transfer))).toEqual(askedAgain)
  })

  it('requireApproval() runs one of two requests at once', async () => {
    const { bank, browser, account } = await approvedTransfer()

    const answers = await Promise.all([1, 2].map(() => browser.submit('/transfer', transfer)))

    expect(bank.runs).toHaveLength(1)
    expect(answers.map(headlineOf).filter((headline) => headline !== undefined)).toEqual(['This was done already'])
    expect(await bank.waiting(account)).toEqual([])
  })

  inFullRun('requireApproval() does not run again what was approved and has run', async () => {
    const { bank, browser } = await approvedTransfer()
    await browser.submit('/transfer', transfer)

    const again = await browser.submit('/transfer', transfer)
    await bank.clock.advance(11)
    const later = await browser.submit('/transfer', transfer)
    const asked = await askAgain(browser, later)

    expect(headlineOf(again)).toBe('This was done already')
    expect(headlineOf(later)).toBe('This was done already')
    expect(outcomeOf(bank, asked)).toEqual(['Approve this action', 1])
  })

  inFullRun('requireApproval() sends one request to the device when a form is sent twice at once', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const pages = await Promise.all([1, 2].map(() => browser.submit('/transfer', transfer)))

    expect(await bank.waiting(account)).toHaveLength(1)
    expect(new Set(pages.map(numberOn)).size).toBe(1)
    await bank.answer(account, 'approve', numberOn(pages[0] ?? { text: '' }))
    expect((await browser.submit('/transfer', transfer)).text).toBe('sent Transfer 250')
  })

  inFullRun('requireApproval() shows the same approval again where no script waits for it', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const page = await browser.submit('/transfer', transfer)

    const again = await browser.submit('/transfer', Object.fromEntries(fieldsOn(page)))

    expect(numberOn(again)).toBe(numberOn(page))
    expect(await bank.waiting(account)).toHaveLength(1)
    expect(page.text).not.toContain('http-equiv="refresh"')
  })

  inFullRun.each([
    ['deny', 'You denied this', 'user_denied'],
    ['report', 'You reported this', 'reported'],
  ] as const)(
    'requireApproval() says that the user answered "%s", and runs nothing',
    async (decision, headline, reason) => {
      const bank = await startBank()
      const { browser, account } = await bank.signedIn()
      await browser.submit('/transfer', transfer)
      await bank.answer(account, decision)

      const page = await browser.submit('/transfer', transfer)

      expect([page.status, headlineOf(page), bank.runs.length]).toEqual([200, headline, 0])
      expect(bank.events.at(-1)).toMatchObject({ type: 'approval.denied', reason })
    },
  )

  it('requireApproval() asks again after an approval was denied, when the user says so', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    await browser.submit('/transfer', transfer)
    await bank.answer(account, 'deny')
    const page = await browser.submit('/transfer', transfer)

    expect(headlineOf(await browser.submit('/transfer', transfer))).toBe('You denied this')
    expect(outcomeOf(bank, await askAgain(browser, page))).toEqual(askedAgain)
  })

  inFullRun('requireApproval() says that the user has blocked its requests', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    await browser.submit('/transfer', transfer)
    await bank.answer(account, 'report')
    const reported = await browser.submit('/transfer', transfer)

    const page = await browser.submit('/transfer', { ...transfer, amount: '1' })

    expect(reported.text).not.toContain('Ask again')
    expect(headlineOf(page)).toBe('You blocked these requests')
    expect(bank.events.at(-1)).toMatchObject({ type: 'approval.not_asked', reason: 'blocked' })
  })

  inFullRun('requireApproval() runs nothing after the approval has expired, and says so', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()
    await browser.submit('/transfer', transfer)
    await bank.clock.advance(301)

    const page = await browser.submit('/transfer', transfer)

    expect([headlineOf(page), bank.runs.length]).toEqual(['Time ran out', 0])
  })

  inFullRun('requireApproval() runs nothing by an approval that was given more than ten minutes ago', async () => {
    const { bank, browser } = await approvedTransfer()
    await bank.clock.advance(601)

    expect(outcomeOf(bank, await browser.submit('/transfer', transfer))).toEqual(['Time ran out', 0])
  })

  inFullRun('requireApproval() sends nested fields and lists again as they were', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const form =
      'to=anna&amount=5&tags=a&tags=b&one[]=x&deep[list][]=1&deep[list][]=2&deep[name]=%3Cb%3E%22&text=a%0D%0Ab&rows[0][id]=7'
    const send = (body: string) =>
      browser.send(
        'POST',
        '/transfer',
        {
          accept: 'text/html',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body,
      )

    const page = await send(form)
    await bank.answer(account, 'approve', numberOn(page))
    const repeated = new URLSearchParams(fieldsOn(page))
    const done = await send(repeated.toString())

    expect(done.text).toBe('sent Transfer 5')
    expect(bank.runs[0]?.body).toMatchObject({ tags: ['a', 'b'], one: ['x'], deep: { list: ['1', '2'], name: '<b>"' } })
  })

  inFullRun('requireApproval() keeps at most five approvals open, and cancels the oldest on the device', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    for (let amount = 1; amount <= 5; amount++)
      await browser.submit('/transfer', { ...transfer, amount: String(amount) })
    const [, , , , oldest] = await bank.waiting(account)
    await bank.client.approvals.cancel(bank.domainId, oldest?.id ?? '')
    await browser.submit('/transfer', { ...transfer, amount: '6' })

    const titles = (await bank.waiting(account)).map(({ content }) => JSON.parse(content).title)
    expect(titles).toHaveLength(5)
    expect(titles).not.toContain('Transfer 1')
  })

  inFullRun('requireApproval() cancels what still waits when the user signs out', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    await browser.submit('/transfer', transfer)

    await browser.open('/logout')

    await expect.poll(() => bank.waiting(account)).toEqual([])
  })

  it('requireApproval() refuses a form that another site sends, because its page would send it again from here', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const page = await browser.submit('/transfer', transfer, { 'sec-fetch-site': 'cross-site' })

    expect(page.status).toBe(403)
    expect(fieldsOn(page)).toEqual([])
    expect(await bank.waiting(account)).toEqual([])
  })

  it('requireApproval() asks nobody for what a page of another site embeds, and follows its links', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const elsewhere = { 'sec-fetch-site': 'cross-site' }

    const [image, frame] = await Promise.all([
      browser.open('/pay/anna?1', { ...elsewhere, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }),
      browser.open('/pay/anna?2', { ...elsewhere, 'sec-fetch-dest': 'iframe' }),
    ])
    const asked = await bank.waiting(account)
    const link = await browser.open('/pay/anna?3', elsewhere)

    expect([image.status, frame.status, asked]).toEqual([403, 403, []])
    expect(outcomeOf(bank, link)).toEqual(askedAgain)
  })

  it('requireApproval() cancels a request that the web session could not keep, and asks anew afterwards', async () => {
    const store = { isDown: true }
    const bank = await startBank({
      before: [
        ({ session }, _res, next) => {
          const save = session.save.bind(session)
          session.save = (done) => (store.isDown ? (done?.(new Error('the store is down')), session) : save(done))
          next()
        },
      ],
    })
    const { browser, account } = await bank.signedIn()

    const failed = await browser.submit('/transfer', transfer)
    await expect.poll(() => bank.waiting(account)).toEqual([])
    store.isDown = false
    const page = await browser.submit('/transfer', transfer)
    await bank.answer(account, 'approve', numberOn(page))

    expect(failed.status).toBe(503)
    expect((await browser.submit('/transfer', transfer)).text).toBe('sent Transfer 250')
  })

  inFullRun(
    'req.mfa.approve() throws what says that the second step is unavailable, told to the app, if nothing can be stored',
    async () => {
      const bank = await startBank({
        beforeMfa: [
          ({ path, session }, _res, next) => {
            const save = session.save.bind(session)
            const failOnce: typeof session.save = (done) => {
              session.save = save
              done?.(new Error('the store is down'))
              return session
            }
            if (path === '/upload') session.save = failOnce
            next()
          },
        ],
      })
      const { browser } = await bank.signedIn()

      const failed = await browser.submit('/upload')

      expect([failed.status, failed.text]).toEqual([500, 'The second step is unavailable.'])
      expect(bank.events).toContainEqual(expect.objectContaining({ type: 'service.unavailable', reason: 'not_stored' }))
    },
  )

  it('requireApproval() shows characters of an action that nobody sees by their numbers', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()

    const page = await browser.submit('/transfer', { to: 'anna\u200b', amount: '\u202e052' })

    expect(page.text).toContain('Transfer &lt;U+202E&gt;052')
    expect(page.text).toContain('anna&lt;U+200B&gt;')
  })

  it('requireApproval() lets the form that its page sends again lead to another origin, as the app decides', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()

    const [form, link] = [await browser.submit('/transfer', transfer), await browser.open('/pay/anna')]

    expect(form.headers['content-security-policy']).toContain('form-action *;')
    expect(link.headers['content-security-policy']).toContain("form-action 'self';")
  })

  it.each(['memo=a%00b', '_charset_=windows-1252'])(
    'requireApproval() puts no field into its page that the browser would send differently: %s',
    async (field) => {
      const bank = await startBank()
      const { browser } = await bank.signedIn()
      const form = 'application/x-www-form-urlencoded'

      const answer = await browser.send(
        'POST',
        '/transfer',
        { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin', 'content-type': form },
        `to=anna&amount=250&${field}`,
      )

      expect([answer.status, answer.body?.error]).toEqual([403, 'approval_required'])
    },
  )

  it('requireApproval() asks nobody for a page that a browser loads ahead', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const page = await browser.open('/pay/anna', { 'sec-purpose': 'prefetch' })

    expect(page.status).toBe(503)
    expect(await bank.waiting(account)).toEqual([])
  })
})

describeInFullRun('an approval and a sign-in', () => {
  it('an approval of an action verifies no web session', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    await bank.clock.advance(200)
    const page = await browser.submit('/transfer', transfer)
    await bank.answer(account, 'approve', numberOn(page))
    await browser.submit('/transfer', transfer)

    await bank.clock.advance(100)
    const danger = await browser.open('/danger')
    const { verified } = (await browser.fetch('/account')).body.mfa

    expect(bank.runs).toHaveLength(1)
    expect([danger.status, danger.headers['location']]).toEqual([303, '/mfa'])
    expect(verified.at).toBe(bank.clock.now() - 300)
  })

  it('the approval of a sign-in opens no action', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    await bank.clock.advance(301)
    await browser.visit('/danger')
    await bank.answerSignIn(account, 'approve', numberOn(await browser.visit('/mfa')))
    await browser.submit('/mfa/complete')

    expect(outcomeOf(bank, await browser.submit('/transfer', transfer))).toEqual(askedAgain)
  })
})

describe('requireApproval() and scripts', () => {
  inFullRun('requireApproval() tells a script the number, the address of the status and that of a page', async () => {
    const bank = await startBank({ mfa: { publicUrl: 'http://localhost:3000' } })
    const { browser, account } = await bank.signedIn()

    const refused = await postJson(browser, '/transfer', transfer)
    const { approval } = refused.body
    const path = (address: string) => new URL(address).pathname
    const before = await browser.fetch(`${path(approval.status)}?now`)
    const page = await browser.open(path(approval.page))
    await bank.answer(account, 'approve', approval.number)
    const after = await browser.fetch(path(approval.status))
    const done = await postJson(browser, '/transfer', transfer)

    expect(refused.status).toBe(403)
    expect(refused.body.error).toBe('approval_required')
    expect(approval.status).toBe(`http://localhost:3000/mfa/approve/${approval.id}/status`)
    expect(refused.headers['mfa-approval']).toBe(approval.page)
    expect(numberOn(page)).toBe(approval.number)
    expect([before.body.state, after.body.state]).toEqual(['pending', 'approved'])
    expect(done.text).toBe('sent Transfer 250')
    expect(headlineOf(await browser.open(path(approval.page)))).toBe('Approved')
  })

  it('requireApproval() shows an approval to no other browser', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()
    const bob = await bank.signedIn('bob')
    const { approval } = (await postJson(browser, '/transfer', transfer)).body
    const thief = { cookie: `connect.sid=${browser.cookie('connect.sid')}`, accept: 'text/html' }

    const [own, others, stolen] = [
      await browser.open(approval.page),
      await bob.browser.open(approval.page),
      await browser.copy().send('GET', approval.page, thief),
    ]

    expect([own.status, others.status, stolen.status]).toEqual([200, 404, 404])
  })

  inFullRun('requireApproval() leads htmx and Turbo to the page', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()

    const htmx = await postJson(browser, '/transfer', transfer, { 'hx-request': 'true' })
    const turbo = await postJson(browser, '/transfer', transfer, { 'x-turbo-request-id': '1' })

    expect(htmx.headers['hx-redirect']).toMatch(/^\/mfa\/approve\/[0-9a-f]{40}\?back=/)
    expect([turbo.status, turbo.headers['location']]).toEqual([303, htmx.headers['hx-redirect']])
  })

  inFullRun('requireApproval() lets a user give up, who then continues at the page before', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()
    const { approval } = (await postJson(browser, '/transfer', transfer)).body

    const answer = await browser.submit(`${approval.page}/cancel`, { back: '/form' })

    expect([answer.status, answer.headers['location']]).toEqual([303, '/form'])
    expect(await bank.waiting(account)).toEqual([])
    expect((await postJson(browser, '/transfer', transfer)).body).toMatchObject({ reason: 'cancelled' })
    expect((await postJson(browser, '/transfer', transfer)).body.error).toBe('approval_required')
    expect(bank.events.filter(({ type }) => type === 'approval.cancelled')).toHaveLength(1)
  })

  inFullRun(
    'requireApproval() reports no cancellation when the user gives up just after the device has approved',
    async () => {
      let beforeCancel = () => Promise.resolve()
      const clock = createWatchedClock()
      const handle = embedded({ database: ':memory:', clock, pinHashCost: quickHash })
      onTestFinished(() => handle.close())
      const connect = async () => {
        const connection = await handle.connect()
        const send: typeof fetch = async (input, init) => {
          if (init?.method === 'DELETE') await beforeCancel()
          return (connection.fetch ?? fetch)(input, init)
        }
        return { ...connection, fetch: send }
      }
      const bank = await startBank({ mfa: { service: { ...handle, connect }, clock } })
      const { browser, account } = await bank.signedIn()
      const { approval } = (await postJson(browser, '/transfer', transfer)).body
      beforeCancel = async () => void (await bank.answer(account, 'approve', approval.number))

      await browser.submit(`${approval.page}/cancel`, { back: '/form' })

      expect(bank.events.filter(({ type }) => type === 'approval.cancelled')).toEqual([])
      expect((await postJson(browser, '/transfer', transfer)).status).toBe(200)
    },
  )
})

describe('a body that cannot be compared', () => {
  const send = (browser: Browser, path: string, type: string, body: string) =>
    browser.send('POST', path, { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'content-type': type }, body)

  it.each([
    ['that is not parsed yet', '/unparsed', 'application/json', '{"a":1}'],
    ['that is multipart', '/transfer', 'multipart/form-data; boundary=x', '--x--'],
    ['of a type that no parser reads', '/transfer', 'application/octet-stream', 'bytes'],
    ['of more than 64 kB', '/transfer', 'application/x-www-form-urlencoded', `memo=${'a'.repeat(66_000)}`],
    ['that is nested too deeply', '/transfer', 'application/json', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`],
  ])('requireApproval() throws a SetupError for a body %s', async (_name, path, type, body) => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const answer = await send(browser, path, type, body)

    expect([answer.status, bank.runs.length]).toEqual([500, 0])
    expect(answer.text).toContain('req.mfa.approve()')
    expect(await bank.waiting(account)).toEqual([])
  })
})

describe('req.mfa.approve()', () => {
  it('req.mfa.approve() resolves once for an approval of the same bind', async () => {
    const bank = await startBank()
    const { browser, account } = await bank.signedIn()

    const refused = await postJson(browser, '/upload?file=1', {})
    await bank.answer(account, 'approve', refused.body.approval.number)
    const other = await postJson(browser, '/upload?file=2', {})
    const done = await postJson(browser, '/upload?file=1', {})
    const again = await postJson(browser, '/upload?file=1', {})

    expect([refused.status, refused.body.error]).toEqual([403, 'approval_required'])
    expect(other.body.error).toBe('approval_required')
    expect(done.text).toBe('uploaded')
    expect(again.status).toBe(403)
    expect(bank.runs.map(({ id }) => id)).toEqual([refused.body.approval.id])
  })

  it('req.mfa.approve() throws a MfaRequiredError before the second step was passed', async () => {
    const bank = await startBank({ mfa: { gate: false } })
    const browser = bank.browser()
    await bank.signIn(browser, 'alice')

    const answer = await postJson(browser, '/upload?file=1', {})

    expect(answer.text).toContain('the second step was not passed')
  })

  inFullRun.each([
    ['whom required excludes', 'never' as const, false],
    ['in an emergency', true, true],
  ])(
    'req.mfa.approve() asks users %s for the approval alone, as requireApproval() does',
    async (_, later, isEmergency) => {
      let requirement: boolean | 'never' = true
      const inAnHour = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`
      if (isEmergency) vi.stubEnv('MFA_EMERGENCY_OFF_UNTIL', inAnHour)
      onTestFinished(() => void vi.unstubAllEnvs())
      const bank = await startBank({ mfa: { required: () => requirement } })
      const { account } = await bank.enroll(bank.browser(), 'alice', '/mfa')
      requirement = later
      const browser = bank.browser()
      await bank.signIn(browser, 'alice')

      const asked = await postJson(browser, '/upload?file=1', {})
      await bank.answer(account, 'approve', asked.body.approval.number)

      expect(asked.body.error).toBe('approval_required')
      expect((await postJson(browser, '/upload?file=1', {})).text).toBe('uploaded')
    },
  )

  it('req.mfa.approve() asks nobody after the request has signed another user in', async () => {
    let hasChanged = false
    const user = () => ({ username: hasChanged ? 'mallory' : 'alice' })
    const required = () => ((hasChanged = true), 'never' as const)
    const bank = await startBank({ mfa: { user, required } })

    const answer = await postJson(bank.browser(), '/upload?file=1', {})

    expect(answer.text).toContain('the second step was not passed')
  })
})
