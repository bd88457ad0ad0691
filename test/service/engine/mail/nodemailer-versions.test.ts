import newest from 'nodemailer'
import oldest from 'nodemailer6'
import { expect, it, onTestFinished, vi } from 'vitest'

import { systemClock } from '../../../../src/ground/clock.ts'
import { mailTimeout } from '../../../../src/contract/sessions.ts'
import { Email } from '../../../../src/contract/users.ts'
import { createMailer } from '../../../../src/service/engine/mail/mailer.ts'
import { SmtpOptions } from '../../../../src/service/engine/mail/smtp-options.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'

const libraries = [
  ['6', oldest],
  ['the newest', newest],
] as const

inFullRun.each(libraries)('mail is sent by nodemailer %s', async (_, library) => {
  const { mailer, server } = await startMailer(library)

  await mailer.send({ to: 'alice@example.com', subject: 'Your code', text: '012 345', html: '<p>012 345</p>' })

  const [mail] = server.mails
  expect(mail).toMatchObject({ from: 'mfa@example.com', to: ['alice@example.com'] })
  expect([mail?.text.trim(), mail?.html.trim()]).toEqual(['012 345', '<p>012 345</p>'])
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
})

it.each(libraries)('mail reaches one mailbox by nodemailer %s, whatever an address contains', async (_, library) => {
  const { mailer, server } = await startMailer(library)
  const addresses = [
    'r&d@example.com',
    'a@evil.example,b@example.com',
    '"a,b@evil.example"@example.com',
    'a;b@evil.example;c@example.com',
    'group:a@evil.example;,b@example.com',
    'a(comment@evil.example)@example.com',
    "o'neil%evil.example@example.com",
    'info@müller.example',
  ].map((address) => Email.parse(address))

  // The server rejects some of them, which is its decision.
  for (const to of addresses) await mailer.send({ to, subject: 'Your code', text: '012 345' }).catch(() => {})

  const domains = server.mails.map(({ to }) => to.map((address) => address.slice(address.lastIndexOf('@'))))
  expect(new Set(domains.map(String))).toEqual(new Set(['@example.com', '@müller.example']))
  expect(domains.length).toBeGreaterThan(2)
  expect(server.mails.flatMap(({ headers }) => [headers.has('bcc'), headers.has('cc')])).not.toContain(true)
})

inFullRun.each(libraries)(
  'nodemailer %s trusts a certificate of no authority on this machine, where mail needs no TLS, and nowhere else',
  async (_, library) => {
    const { mailer, server, port } = await startMailer(library, { disabledCommands: [] })
    const elsewhere = await mailerFor('::ffff:127.0.0.1', port)
    const mail = { to: 'alice@example.com', subject: 'Your code', text: '012 345' }

    await mailer.send(mail)

    await expect(elsewhere.send(mail)).rejects.toThrow('code ESOCKET')
    expect(server.mails).toHaveLength(1)
  },
)

it('a mail server has nearly all of the time of a mail for its greeting, or for its answer to the mail', async () => {
  const createTransport = vi.fn<(options: object) => object>(() => ({}))
  vi.doMock('nodemailer', () => ({ default: { createTransport } }))
  onTestFinished(() => vi.doUnmock('nodemailer'))

  await mailerFor('127.0.0.1', 25)

  const time = (mailTimeout - 1) * 1_000
  expect(createTransport.mock.calls).toMatchObject([[{ greetingTimeout: time, socketTimeout: time }]])
})

inFullRun('an error of the mailer names what is wrong with the certificate', async () => {
  const { port } = await startMailer(newest, { disabledCommands: [] })
  const elsewhere = await mailerFor('::ffff:127.0.0.1', port)

  const sending = elsewhere.send({ to: 'alice@example.com', subject: 'Your code', text: '012 345' })

  await expect(sending).rejects.toThrow('CERT')
})

it.each([
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\nb@example.com',
  'a@example.com b@example.com',
  'Alice<a@example.com>',
  'a@example.com>,<b@example.com',
  'a\u0000@example.com',
  'a\u2028b@example.com',
  '\u202Ea@example.com',
  'a\uD800@example.com',
  '@example.com',
  'a@',
  `${'a'.repeat(243)}@example.com`,
])('%j is rejected as an e-mail address', (address) => {
  expect(Email.safeParse(address).success).toBe(false)
})

async function startMailer(library: (typeof libraries)[number][1], options?: Parameters<typeof startMailServer>[0]) {
  vi.doMock('nodemailer', () => ({ default: library }))
  onTestFinished(() => vi.doUnmock('nodemailer'))
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return { server, port: server.port, mailer: await mailerFor('127.0.0.1', server.port) }
}

const mailerFor = (host: string, port: number) =>
  createMailer(SmtpOptions.parse({ host, port, from: 'Example <mfa@example.com>' }), systemClock)
