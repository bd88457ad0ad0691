import { isIP } from 'node:net'

import { z } from 'zod'

/** The resolved settings of the mail server. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
  readonly allowInsecure: boolean
}

const address = String.raw`[^<>\s@,;]+@[^<>\s@,;]+`

/** The mail server that sends the service's mail. */
export interface SmtpOptions {
  /**
   * The server as an address, `smtps://user:password@host:465` or `smtp://…`, instead of the five options below.
   * @default none
   */
  url?: string | undefined
  /**
   * The name of the server. Required without `url`.
   * @default none
   */
  host?: string | undefined
  /**
   * The port of the server.
   * @default `465` with `secure`, else `587`
   */
  port?: number | undefined
  /**
   * Whether TLS begins with the first byte. Without it TLS begins by STARTTLS, which is required.
   * @default `false`
   */
  secure?: boolean | undefined
  /**
   * The user name to sign in with.
   * @default none
   */
  user?: string | undefined
  /**
   * The password to sign in with.
   * @default none
   */
  password?: string | undefined
  /** The sender: an address, or `Name <address>`. */
  from: string
  /**
   * Whether mail is sent without TLS if the server has none. Everyone on the network path can then read the codes. A
   * server on this machine needs no TLS.
   * @default `false`
   */
  allowInsecure?: boolean | undefined
}

export const SmtpOptions = z
  .strictObject({
    url: z.string().optional(),
    host: z.string().min(1).optional(),
    port: z.int().min(1).max(65_535).optional(),
    secure: z.boolean().optional(),
    user: z.string().optional(),
    password: z.string().optional(),
    from: z
      .string()
      .regex(new RegExp(`^([^<>@\\p{Cc}]+ <${address}>|${address})$`, 'u'), 'must be like Name <address>'),
    allowInsecure: z.boolean().default(false),
  })
  .transform(({ url, ...rest }, ctx): SmtpServer => {
    const server = url === undefined ? rest : readUrl(url)
    const mixed = url !== undefined && [rest.host, rest.port, rest.secure, rest.user].some((each) => each !== undefined)
    if (server?.host === undefined || mixed) {
      // The error quotes nothing, because the URL contains a password.
      ctx.addIssue({
        code: 'custom',
        message:
          'needs a host, or a url like smtps://user:password@host, with nothing after the host; percent-encode / ? # in the password',
      })
      return z.NEVER
    }
    const { host, port, secure = false, user, password } = server
    const { from, allowInsecure } = rest
    return { host, port: port ?? (secure ? 465 : 587), secure, user, password, from, allowInsecure }
  })
/** Whether the server is on this machine. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function readUrl(text: string): Partial<SmtpServer> | undefined {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined
  // Such as a setting of another program, or a password with a slash: in smtp://mfa:12/34@host, the host would be mfa.
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return undefined
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(url.port !== '' && { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    user: decode(url.username),
    password: decode(url.password),
  }
}

/** Text that is not percent-encoded stands for itself. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return text
  }
}
