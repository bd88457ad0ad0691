import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { startMailServer } from '../../support/mail-server.ts'
import type { MailServer } from '../../support/mail-server.ts'
import { useDatabase } from './run-command.ts'

const { admin, json } = useDatabase()
let mail: MailServer

beforeEach(async () => {
  mail = await startMailServer()
  vi.stubEnv('MFA_SMTP_URL', `smtp://127.0.0.1:${mail.port}`)
  vi.stubEnv('MFA_SMTP_FROM', 'mfa@example.com')
  vi.stubEnv('MFA_AUTHENTICATOR_URL', 'https://mfa.example')
  await json('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await mail.close()
})

const invite = (...more: string[]) => admin('user', 'invite', 'alice', '--domain', 'Intranet', ...more)

describe('second-factor user invite', () => {
  it('second-factor user invite mails a link with the activation code, and says how long it works', async () => {
    const { code, stdout } = await invite('--days', '30')

    const token = await json('token', 'show', 'alice', '--domain', 'Intranet')
    const [sentMail] = mail.mails
    expect([code, sentMail?.to]).toEqual([0, ['a@example.com']])
    expect(stdout).toMatch(/^Mailed a link to a@example\.com\. It works until \d{4}-/)
    expect(sentMail?.text).toContain(`https://mfa.example/authenticator/#code=${token.code}`)
  })

  inFullRun('second-factor user invite says which setting is missing, and what to do', async () => {
    vi.stubEnv('MFA_AUTHENTICATOR_URL', '')
    const address = await invite()
    vi.stubEnv('MFA_SMTP_URL', '')
    const server = await invite('--authenticator-url', 'https://mfa.example')

    expect([address.code, server.code]).toEqual([1, 1])
    expect(address.stderr).toContain('--authenticator-url')
    expect(server.stderr).toContain('MFA_SMTP_URL')
    expect((await invite('--days', '31')).code).toBe(2)
  })
})

describeInFullRun('a mail server that refuses', () => {
  it('commands that send mail print the codes of a mail server that refuses, and nothing that it said', async () => {
    mail.refuse()

    const invited = await invite()
    const changed = await admin('user', 'email', 'alice', 'new@example.com')

    const reason = 'The mail server did not accept the mail (code EMESSAGE, responseCode 452, command DATA).\n'
    expect([invited.code, invited.stderr]).toEqual([1, reason])
    expect([changed.code, changed.stderr]).toEqual([0, `security mail not sent: ${reason}`])
  })
})

describeInFullRun('second-factor user email', () => {
  it('second-factor user email changes the address, and notifies the user at the old one', async () => {
    const { stdout } = await admin('user', 'email', 'alice', 'new@example.com')

    expect(stdout).toBe('The address of "alice" is new@example.com.\n')
    expect(mail.mails.map(({ to }) => to)).toEqual([['a@example.com']])
    expect((await json('user', 'show', 'alice')).email).toBe('new@example.com')
    expect((await admin('user', 'email', 'alice', 'nobody')).code).toBe(2)
  })
})
