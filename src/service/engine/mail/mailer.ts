import type { Clock } from '../../../ground/clock.ts'
import { mailTimeout } from '../../../contract/sessions.ts'
import { loadOptional } from '../base/optional-package.ts'
import { isThisMachine } from './smtp-options.ts'
import type { SmtpServer } from './smtp-options.ts'

/** An image inside a mail: nothing is loaded from elsewhere. */
export interface MailImage {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface Mail {
  /** A bare address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Absent in plain-text mail. */
  readonly html?: string
  /** Shown in the HTML, by `cid:` and its name. */
  readonly image?: MailImage
}

/** Sends mail. */
export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws {MailError} */
  send(mail: Mail): Promise<void>
}

/** The server did not accept a mail. The message names the step that failed, and quotes nothing of the mail. */
export class MailError extends Error {
  override readonly name = 'MailError'
}

/** The timeout of the whole delivery, ms: our client waits longer than this for the call that sends a code. */
const timeout = mailTimeout * 1_000
/** The timeout of finding the server and connecting to it. */
const connectionTimeout = 4_000
/**
 * The timeout of each answer. Servers that look for spam take seconds for a greeting or a mail, and deliver a mail even if the service
 * has stopped waiting: its code would not work. Shorter than the whole, so that the error names the step.
 */
const answerTimeout = timeout - 1_000

/** @throws {SetupError} if nodemailer is missing or too old. */
export async function createMailer(server: SmtpServer, clock: Clock): Promise<Mailer> {
  const { createTransport } = await load()
  const isLocal = isThisMachine(server.host)
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && !server.allowInsecure && !isLocal,
    // Mail servers on this machine often have a certificate of no authority. Mail may go there without TLS anyway.
    ...(isLocal && !server.secure && { tls: { rejectUnauthorized: false } }),
    ...(server.user !== undefined && { auth: { user: server.user, pass: server.password ?? '' } }),
    connectionTimeout,
    dnsTimeout: connectionTimeout,
    greetingTimeout: answerTimeout,
    socketTimeout: answerTimeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, image, ...mail }) {
      const attachments = image ? [inlined(image)] : []
      // As an object it is exactly one address, whatever it contains.
      const address = { name: '', address: to }
      const sending = transport.sendMail({ ...mail, attachments, from: server.from, to: address, headers })
      await withinTime(sending, clock)
    },
  }
}

const inlined = ({ name, bytes }: MailImage) => ({
  filename: name,
  content: Buffer.from(bytes),
  cid: name,
  contentDisposition: 'inline' as const,
})

/** Suppresses automatic replies (RFC 3834 section 5). */
const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

const library = { name: 'nodemailer', purpose: 'Sending mail', oldest: '6' }

async function load() {
  const { default: nodemailer } = await loadOptional(library, () => import('nodemailer'))
  return nodemailer
}

async function withinTime(sending: Promise<unknown>, clock: Clock): Promise<void> {
  let cancel = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(timeout, () => reject(new MailError('Timed out waiting for the mail server.')))
  })
  try {
    await Promise.race([sending, late])
  } catch (error) {
    throw error instanceof MailError ? error : refused(error)
  } finally {
    cancel()
  }
}

/** The server's response may quote the mail, so only its status codes are passed on. */
function refused(error: unknown): MailError {
  const facts = ['code', 'originalCode', 'responseCode', 'command'].flatMap((name) => {
    const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
    return typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : []
  })
  return new MailError(`The mail server did not accept the mail (${facts.join(', ') || 'for an unknown reason'}).`)
}
