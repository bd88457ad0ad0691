import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions } from 'smtp-server'

/** A received mail. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  /** Headers by lowercase name. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly html: string
  /** The code in its text, without the space. */
  readonly code: string
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** A real SMTP server that stores the mails it receives. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = []
  const waiting: (() => void)[] = []
  const arrival = () => new Promise<void>((resolve) => void waiting.push(resolve))
  /** How it rejects the next mail: with an error, or by never responding. */
  let next: 'take' | 'refuse' | 'hang' = 'take'
  let beforeTaking = () => Promise.resolve()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 10,
    onData(stream, session, done) {
      const take = async (raw: string) => {
        if (next === 'hang') return undefined
        await beforeTaking()
        if (next === 'refuse') return done(Object.assign(new Error(`no room for ${raw}`), { responseCode: 452 }))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), ...parse(raw) })
        for (const resolve of waiting.splice(0)) resolve()
        return done()
      }
      // Ignores a mail whose sender disconnects halfway.
      void readAll(stream).then(take, () => {})
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const bound = server.server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('not listening on a port')
  return {
    port: bound.port,
    mails,
    /** Resolves when this many mails have arrived in total. */
    received: async (count: number) => {
      while (mails.length < count) await arrival()
    },
    /** Resolves when another mail has arrived. */
    arrival,
    refuse: () => void (next = 'refuse'),
    hang: () => void (next = 'hang'),
    /** Runs while a mail is being received. */
    meanwhile: (act: () => Promise<void>) => void (beforeTaking = act),
    take: () => void (next = 'take'),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

function parse(raw: string): Pick<ReceivedMail, 'raw' | 'headers' | 'text' | 'html' | 'code'> {
  const message = split(raw)
  const { headers } = message
  const parts = partsOf(message)
  const content = (type: string) => {
    const part = parts.find((candidate) => candidate.headers.get('content-type')?.startsWith(type))
    return decode(part?.body ?? '', part?.headers.get('content-transfer-encoding'))
  }
  const text = content('text/plain')
  return { raw, headers, text, html: content('text/html'), code: /\d{3} \d{3}/.exec(text)?.[0].replace(' ', '') ?? '' }
}

interface Part {
  readonly headers: Map<string, string>
  readonly body: string
}

/** All parts of a mail, with those inside of others. */
function partsOf(part: Part): Part[] {
  const boundary = /boundary="([^"]+)"/.exec(part.headers.get('content-type') ?? '')?.[1]
  if (boundary === undefined) return [part]
  return part.body.split(`--${boundary}`).flatMap((inner) => partsOf(split(inner.trimStart())))
}

function split(part: string): { headers: Map<string, string>; body: string } {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: new Map(pairs), body: part.slice(end + 4) }
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
