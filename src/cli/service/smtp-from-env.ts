import type { ServiceOptions } from '../../service/options.ts'
import { Failure } from '../device/failure.ts'

/** Mail settings, which carry a password and so are no arguments: every user of the machine can read those. */
export function smtpFromEnv(env: NodeJS.ProcessEnv): Pick<ServiceOptions, 'smtp'> {
  const { MFA_SMTP_URL: url, MFA_SMTP_FROM: from, MFA_SMTP_ALLOW_INSECURE: allowInsecure } = env
  if (!url) return {}
  if (!from) throw new Failure('MFA_SMTP_URL is set, but nobody to send from. Set MFA_SMTP_FROM, too.', 2)
  return { smtp: { url, from, allowInsecure: allowInsecure === 'true' } }
}

export const smtpHelp = `
Environment:
  MFA_SMTP_URL             where e-mailed codes are handed in: smtps://user:password@host, or smtp:// for STARTTLS
  MFA_SMTP_FROM            whom they are from: 'Example <mfa@example.com>'
  MFA_SMTP_ALLOW_INSECURE  true: go on where the server has no TLS`
