import { isIP } from 'node:net'

import { z } from 'zod'

/** Where mail is handed in, ready to be used. */
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

export const SmtpOptions = z
  .strictObject({
    /** `smtps://user:password@host:465`, or `smtp://…`; in place of the five below. */
    url: z.string().optional(),
    host: z.string().min(1).optional(),
    /** 465 with `secure`, else 587. */
    port: z.int().min(1).max(65_535).optional(),
    /** TLS from the first byte on. Without it TLS begins on the server's word (STARTTLS), which is insisted on. */
    secure: z.boolean().optional(),
    user: z.string().optional(),
    password: z.string().optional(),
    /** Whom mail is from: an address, or a name and the address in angle brackets. */
    from: z
      .string()
      .regex(new RegExp(`^([^<>@\\p{Cc}]+ <${address}>|${address})$`, 'u'), 'must be like Name <address>'),
    /** Goes on without TLS where the server has none: anybody on the way can then read the codes. This machine needs none. */
    allowInsecure: z.boolean().default(false),
  })
  .transform(({ url, ...given }, ctx): SmtpServer => {
    const server = url === undefined ? given : readUrl(url)
    const mixed =
      url !== undefined && [given.host, given.port, given.secure, given.user].some((each) => each !== undefined)
    if (server?.host === undefined || mixed) {
      // Nothing is quoted: there is a password in it.
      ctx.addIssue({ code: 'custom', message: 'needs a host, or a url like smtps://user:password@host' })
      return z.NEVER
    }
    const { host, port, secure = false, user, password } = server
    const { from, allowInsecure } = given
    return { host, port: port ?? (secure ? 465 : 587), secure, user, password, from, allowInsecure }
  })
export type SmtpOptions = z.input<typeof SmtpOptions>

/** Whether nobody but this machine is on the way. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function readUrl(text: string): Partial<SmtpServer> | undefined {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(url.port !== '' && { port: Number(url.port) }),
    secure: url.protocol === 'smtps:',
    user: decode(url.username),
    password: decode(url.password),
  }
}

/** What is no percent-encoding stands for itself. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return text
  }
}
