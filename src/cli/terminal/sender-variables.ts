import type { SenderOption } from '../../service/engine/context/senders.ts'

/** An environment variable with a member of an option. */
interface SenderVariable {
  readonly name: string
  readonly help: string
  /** Whether it contains a secret, so that it can be read from a file instead. */
  readonly secret?: true
  /** Whether it is `true` or absent. */
  readonly isSwitch?: true
  /** What it is, if the first variable is of no use without it. */
  readonly needed?: string
}

/** The variables of what sends codes and other messages, by option and member. The first one sets it up. */
export const senderVariables: Readonly<Record<SenderOption, Readonly<Record<string, SenderVariable>>>> = {
  smtp: {
    url: {
      name: 'MFA_SMTP_URL',
      help: 'mail server for codes and security mails: smtps://user:password@host, or smtp:// for STARTTLS',
      secret: true,
    },
    from: { name: 'MFA_SMTP_FROM', help: "sender of the mails: 'Example <mfa@example.com>'", needed: 'the sender' },
    allowInsecure: {
      name: 'MFA_SMTP_ALLOW_INSECURE',
      help: 'true: send without TLS when the mail server has none',
      isSwitch: true,
    },
  },
}

const all = Object.entries(senderVariables).flatMap(([option, members]) =>
  Object.entries(members).map(([member, variable]) => ({ ...variable, field: `${option}.${member}` })),
)

/** Those that contain secrets. */
export const senderSecrets: readonly string[] = all.filter(({ secret }) => secret).map(({ name }) => name)

/** The variable of each member, such as `smtp.url`. */
export const namesOfMembers: Readonly<Record<string, string>> = Object.fromEntries(
  all.map(({ field, name }) => [field, name]),
)

export const senderHelp = all.map(({ name, help }) => `  ${name.padEnd(23)}  ${help}`).join('\n')
