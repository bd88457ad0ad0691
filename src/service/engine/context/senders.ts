import type { Clock } from '../../../ground/clock.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { createMailer } from '../mail/mailer.ts'
import type { SmtpServer } from '../mail/smtp-options.ts'

interface SenderOptions {
  readonly clock: Clock
  readonly smtp?: SmtpServer | undefined
}

/** The option that sets up what sends the codes of each factor. */
const senderOptions = { email: 'smtp' } as const satisfies Readonly<Record<SentFactor, string>>

export type SenderOption = (typeof senderOptions)[SentFactor]

/** Opens what sends the codes of each factor, and other messages. Undefined for those that are not configured. */
export const openSenders = async ({ clock, smtp }: SenderOptions) =>
  ({ email: smtp && (await createMailer(smtp, clock)) }) as const satisfies Readonly<Record<SentFactor, unknown>>

export type Senders = Readonly<Awaited<ReturnType<typeof openSenders>>>
