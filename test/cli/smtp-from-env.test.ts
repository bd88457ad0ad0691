import { describe, expect, it } from 'vitest'

import { notifyFromEnv, sendersFromEnv } from '../../src/cli/serve/settings-from-env.ts'
import { run } from './admin/run-command.ts'

describe('the mail settings of second-factor serve', () => {
  const [url, from] = ['smtps://mfa:secret@mail.example', 'Example <mfa@example.com>']

  it('the mail settings of second-factor serve are empty without a mail server', () => {
    expect(sendersFromEnv({ MFA_SMTP_FROM: from })).toEqual({})
    expect(sendersFromEnv({ MFA_SMTP_URL: '', MFA_SMTP_FROM: from })).toEqual({})
  })

  it('the mail settings of second-factor serve come from the environment', () => {
    expect(sendersFromEnv({ MFA_SMTP_URL: url, MFA_SMTP_FROM: from })).toEqual({
      smtp: { url, from, allowInsecure: false },
    })
  })

  it('the mail settings of second-factor serve require TLS unless MFA_SMTP_ALLOW_INSECURE is true', () => {
    const allowing = (word: string) =>
      sendersFromEnv({ MFA_SMTP_URL: url, MFA_SMTP_FROM: from, MFA_SMTP_ALLOW_INSECURE: word }).smtp?.allowInsecure

    expect([allowing('true'), allowing('1'), allowing('')]).toEqual([true, false, false])
  })

  it('the mail settings of second-factor serve require a sender', () => {
    expect(() => sendersFromEnv({ MFA_SMTP_URL: url })).toThrow('Set MFA_SMTP_FROM too.')
  })

  it('the mail settings of second-factor serve can turn security mails off', () => {
    const notify = (word: string) => notifyFromEnv({ MFA_NOTIFY_MAIL: word })

    expect([notify(''), notify('true'), notify('false')]).toEqual([
      {},
      { notify: { mail: true } },
      { notify: { mail: false } },
    ])
    expect(() => notify('no')).toThrow('MFA_NOTIFY_MAIL: expected true or false.')
  })

  it('the mail settings of second-factor serve are in its help', async () => {
    const { stdout } = await run('serve', '--help')

    for (const name of ['MFA_SMTP_URL', 'MFA_SMTP_FROM', 'MFA_SMTP_ALLOW_INSECURE', 'MFA_NOTIFY_MAIL']) {
      expect(stdout).toContain(name)
    }
  })
})
