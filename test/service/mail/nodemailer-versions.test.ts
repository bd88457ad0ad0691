import newest from 'nodemailer'
import oldest from 'nodemailer6'
import { expect, it, onTestFinished, vi } from 'vitest'

import { systemClock } from '../../../src/clock.ts'
import { createMailer } from '../../../src/service/mail/mailer.ts'
import { SmtpOptions } from '../../../src/service/mail/smtp-options.ts'
import { startMailServer } from '../../support/mail-server.ts'

it.each([
  ['6', oldest],
  ['the newest', newest],
])('mail is sent by nodemailer %s', async (_, library) => {
  vi.doMock('nodemailer', () => ({ default: library }))
  onTestFinished(() => vi.doUnmock('nodemailer'))
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const smtp = SmtpOptions.parse({ host: '127.0.0.1', port: server.port, from: 'Example <mfa@example.com>' })
  const mailer = await createMailer(smtp, systemClock)

  await mailer.send({ to: 'alice@example.com', subject: 'Your code', text: '012 345', html: '<p>012 345</p>' })

  const [mail] = server.mails
  expect(mail).toMatchObject({ from: 'mfa@example.com', to: ['alice@example.com'] })
  expect([mail?.text.trim(), mail?.html.trim()]).toEqual(['012 345', '<p>012 345</p>'])
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
})
