import { describe, expect, it } from 'vitest'

import { languageNames } from '../../../../src/contract/languages.ts'
import { enrollmentMail } from '../../../../src/service/engine/mail/enrollment-mail.ts'
import { codeMail } from '../../../../src/service/engine/mail/code-mail.ts'
import { securityMail } from '../../../../src/service/engine/mail/security-mail.ts'
import { factLine } from '../../../../src/service/engine/mail/mail-facts.ts'
import { mailLanguage } from '../../../../src/service/engine/mail/mail-language.ts'
import { isThisMachine, SmtpOptions } from '../../../../src/service/engine/mail/smtp-options.ts'
import { en } from '../../../../src/service/engine/mail/texts/en.ts'
import { createService } from '../../../../src/service/index.ts'
import { describeInFullRun } from '../../../support/full-run.ts'

describe('the mail with a code', () => {
  const write = (domain: string, { organization = 'Acme', language = null as string | null } = {}) =>
    codeMail({ domain, organization, code: '012345', minutes: 10, language })

  it('the mail with a code contains the app, the code and how long it works', async () => {
    expect((await write('Wiki')).text).toBe(
      [
        'Your code for Wiki',
        '    012 345',
        'Type it on the page where you asked for it. It works once, for 10 minutes.',
        "If you didn't ask for it, change your password.",
        'Wiki · Acme\n',
      ].join('\n\n'),
    )
  })

  it('the mail with a code escapes the names in HTML', async () => {
    const { html } = await write(`<img src=x onerror="1">&'`, { organization: '</p><script>' })

    expect(html).toContain('&lt;img src=x onerror=&quot;1&quot;&gt;&amp;&#39;')
    expect(html).toContain('&lt;/p&gt;&lt;script&gt;')
    expect(html).not.toMatch(/<(img|script)/)
  })

  it('the mail with a code keeps names on one line and in one direction', async () => {
    const { subject, text } = await write('Wiki\r\nBcc: all@example.com\u202e\u2028x')

    expect(subject).toBe('Your code for Wiki Bcc: all@example.com x')
    expect(text.split('\n')[0]).toBe(subject)
  })

  it('the mail with a code shows the halves of the code in order in right-to-left text', async () => {
    const { text, html } = await write('Wiki', { language: 'ar' })

    expect(text).toContain('\u2066012 345\u2069')
    expect(html).toContain('<bdi dir="ltr">012 345</bdi>')
    expect(html).toContain('<div lang="ar" dir="rtl"')
  })

  it.each([
    ['de-AT', 'Ihr Code für Wiki', 'de-AT'],
    ['PT-br', 'Seu código para Wiki', 'pt-BR'],
    // None of our languages.
    ['nl', 'Your code for Wiki', 'en'],
    [null, 'Your code for Wiki', 'en'],
  ])('the mail with a code is written in the language for %s', async (language, subject, tag) => {
    const mail = await write('Wiki', { language })

    expect(mail.subject).toBe(subject)
    expect(mail.html).toContain(`<html lang="${tag}" dir="ltr">`)
  })
})

describeInFullRun.each(Object.keys(languageNames))('each mail in the language %s', (language) => {
  const names = { organization: 'Acme', domain: 'Wiki' }
  const kinds = [
    ...Object.keys(en.changes),
    'sign_in_reported',
    'codes_locked',
    'caller_denied',
    'mail_reported',
    'email_changed',
  ] as (keyof typeof en.changes)[]
  const written = () =>
    Promise.all([
      codeMail({ ...names, code: '012345', minutes: 10, language }),
      ...kinds.map((kind) =>
        securityMail({ ...names, kind, username: 'anna', at: 1_795_392_000, timeZone: null, language }),
      ),
    ])

  it('each mail names the app in its subject, and says the same in text and HTML', async () => {
    for (const { subject, text, html } of await written()) {
      const isolates = /[\u2066-\u2069]/g
      const htmlText = html
        ?.replace(/<title>.*<\/title>|<[^>]+>/g, '')
        .replace(isolates, '')
        .replaceAll('&#39;', "'")
      const words = text.replace(isolates, '').split(/\n+ */)

      expect(subject).toContain('Wiki')
      expect(htmlText?.trim().split(/\n+/)).toEqual(words.filter((line) => line !== ''))
    }
  })

  it('each mail without the link This wasn’t me has no link at all, and loads nothing', async () => {
    for (const { text, html } of await written()) {
      expect(html).not.toMatch(/<a\b|href|src=|url\(|https?:|<link|<script|@import/i)
      expect(text).not.toMatch(/https?:|www\./)
    }
  })
})

describe('the time in a mail', () => {
  it.each([
    [null, 'en', 'November 23, 2026 at 12:00 AM UTC'],
    ['Europe/Berlin', 'de', '23. November 2026 um 01:00 MEZ'],
    ['America/New_York', 'en-US', 'November 22, 2026 at 7:00 PM EST'],
    ['Asia/Tokyo', 'ja', '2026年11月23日 9:00 JST'],
    ['Asia/Kathmandu', 'fr', '23 novembre 2026 à 05:45 UTC+5:45'],
    // Of a newer version of Node.
    ['Mars/Olympus', 'en', 'November 23, 2026 at 12:00 AM UTC'],
  ])('the time in a mail is that of the time zone %s', async (timeZone, language, time) => {
    const mail = { organization: 'Acme', domain: 'Wiki', kind: 'codes_made', at: 1_795_392_000 } as const

    expect((await securityMail({ ...mail, timeZone, language })).text).toContain(time)
  })
})

describe('the facts in a mail', () => {
  it('the facts in a mail are cut between characters', async () => {
    const facts = { device: `a${'𠮷'.repeat(128)}` }

    const line = factLine(await mailLanguage('en'), facts)

    expect(line).toContain(`a${'𠮷'.repeat(59)}`)
    expect(line.isWellFormed()).toBe(true)
  })
})

describe.each(Object.keys(languageNames))('the link "This wasn’t me" in the language %s', (language) => {
  const href = 'https://app.example/mfa/not-me/kx7f3m9q2t'
  const mail = { organization: 'Acme', domain: 'Wiki', at: 1_795_392_000, timeZone: null, language }

  it('the link This wasn’t me is in text and HTML, and its mail loads nothing', async () => {
    const { text, html = '' } = await securityMail({ ...mail, kind: 'codes_made' }, () => Promise.resolve(href))

    expect(text.split('\n')).toContain(href)
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)).toEqual([href])
  })

  it.each([
    'sign_in_reported',
    'caller_denied',
    'mail_reported',
    'bulk_started',
    'many_changed',
    'factors_exported',
  ] as const)(
    'the link This wasn’t me is in no mail that follows a report or is not about its reader: %s',
    async (kind) => {
      const { text, html } = await securityMail({ ...mail, kind }, () => Promise.resolve(href))

      expect(text + html).not.toContain(href)
    },
  )
})

describe.each(Object.keys(languageNames))('the mail that enrolls a user, in the language %s', (language) => {
  const link = 'https://mfa.example/authenticator/#code=kx7f3m9q2t'
  const mail = { organization: 'Acme', domain: 'Wiki <&>', link, expiresAt: 1_795_392_000, timeZone: null, language }

  it.each([true, false])(
    'the mail that enrolls a user has its link and the QR code, and loads nothing else (enrolled: %s)',
    async (enrolled) => {
      const { subject, text, html = '', image } = await enrollmentMail({ ...mail, enrolled })

      expect(subject).toContain('Wiki <&>')
      expect(text.split('\n')).toContain(link)
      expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
        link,
        'cid:link.gif',
      ])
      expect(html).toContain('Wiki &lt;&amp;&gt;')
      expect(Buffer.from(image?.bytes ?? []).toString('latin1', 0, 6)).toMatch(/^GIF8[79]a$/)
    },
  )
})

describe('the option smtp', () => {
  const from = 'Example <mfa@example.com>'
  const defaults = { secure: false, user: undefined, password: undefined, from, allowInsecure: false }

  it.each([
    [{ host: 'mail.example' }, { host: 'mail.example', port: 587 }],
    [
      { host: 'mail.example', secure: true },
      { host: 'mail.example', port: 465, secure: true },
    ],
    [
      { host: 'mail.example', port: 25 },
      { host: 'mail.example', port: 25 },
    ],
    [{ url: 'smtp://mail.example' }, { host: 'mail.example', port: 587 }],
    [
      { url: 'smtps://a%40b:p%3Aw@mail.example' },
      { host: 'mail.example', port: 465, secure: true, user: 'a@b', password: 'p:w' },
    ],
    [{ url: 'smtp://[::1]:2525' }, { host: '::1', port: 2525 }],
  ])('the option smtp with %j names a server', (options, server) => {
    expect(SmtpOptions.parse({ ...options, from })).toEqual({ ...defaults, ...server })
  })

  it.each([
    [{}],
    [{ url: 'https://mail.example' }],
    [{ url: 'mail.example' }],
    [{ url: 'smtp://' }],
    [{ url: 'smtp://mail.example', host: 'other' }],
    // The host would be mfa, without user and password.
    [{ url: 'smtp://mfa:12/34@mail.example' }],
    [{ url: 'smtp://mfa:12?34@mail.example' }],
    [{ url: 'smtp://mfa:12#34@mail.example' }],
    [{ url: 'smtps://mail.example?tls.rejectUnauthorized=false' }],
    [{ host: 'mail.example', tls: true }],
    [{ host: 'mail.example', port: 0 }],
  ])('the option smtp with %j names no server', (options) => {
    expect(SmtpOptions.safeParse({ ...options, from }).success).toBe(false)
  })

  it.each(['', 'nobody', 'a@b\r\nBcc: c@d', 'a@b, c@d', 'Name <a@b> <c@d>'])(
    'the option smtp rejects the sender %j',
    (sender) => {
      expect(SmtpOptions.safeParse({ host: 'mail.example', from: sender }).success).toBe(false)
    },
  )

  it('an invalid option smtp is named in the error without its password', async () => {
    const opening = createService({ database: ':memory:', smtp: { url: 'smpt://mfa:secret@mail.example', from } })

    await expect(opening).rejects.toThrow(/^createService: smtp: needs a host/)
    await expect(opening).rejects.not.toThrow(/secret/)
  })
})

describe('this machine', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['127.0.0.1.example', false],
    ['localhost.example', false],
    ['10.0.0.1', false],
    ['::ffff:127.0.0.1', false],
  ])('the mailer knows whether %s is this machine: %j', (host, expected) => {
    expect(isThisMachine(host)).toBe(expected)
  })
})
