import type { Clock } from '../../../ground/clock.ts'
import type { Logger } from '../base/logger.ts'
import { createLane } from '../base/lane.ts'
import { notAfter } from '../base/present.ts'
import type { MailRows } from './mail-rows.ts'
import type { Mailer } from './mailer.ts'
import { securityMail } from './security-mail.ts'
import type { SecurityMail } from './security-mail.ts'

/** Sends mail about security events in the background. Nothing depends on it. */
export interface SecurityMails {
  readonly rows: MailRows
  send(userId: string, mail: AddressedMail): void
  /** Waits until no mail is left to be sent; the mailer limits how long. */
  sent(): Promise<void>
  /** Drops mails that have not started, and waits for the others; the mailer limits how long. */
  close(): Promise<void>
}

/** A mail that is composed when its turn comes. */
export interface AddressedMail extends SecurityMail {
  readonly to: string
}

/** Mails in the queue or being sent; further ones are dropped. */
const maxInProgress = 1000
/** Mails that are sent concurrently. */
const width = 4
/** Mails per user and window. A user with more events has already been notified five times. */
const maxPerUser = 5
/** Length of the window, seconds. */
const window = 60 * 60
/** Users whose mails are counted. The one whose last mail is the oldest is dropped for a new one. */
const maxUsers = 10_000

/** A mail whose reader can say that it was not them. */
export interface DisownableMail {
  readonly userId: string
  /** The headline of the mail, in the language of the user. */
  readonly headline: string
}

type NotMeLink = (mail: DisownableMail) => Promise<string>

interface Parts {
  readonly rows: MailRows
  /** Makes the link with which the reader says so; undefined if mails have none. */
  readonly notMeLink?: NotMeLink | undefined
  readonly mailer: Mailer
  readonly clock: Clock
  readonly logger: Logger
}

export function createSecurityMails({ rows, mailer, clock, logger, notMeLink }: Parts): SecurityMails {
  const lane = createLane(width)
  const inProgress = new Set<Promise<void>>()
  const sentAt = new Map<string, readonly number[]>()
  let closed = false

  /** @returns false if the limit is reached. */
  function count(key: string): boolean {
    const now = clock.now()
    const times = (sentAt.get(key) ?? []).map((time) => notAfter(time, now))
    const recent = times.filter((time) => time > now - window)
    const isAllowed = recent.length < maxPerUser
    sentAt.delete(key)
    sentAt.set(key, isAllowed ? [...recent, now] : recent)
    if (!isAllowed) return false
    const [oldest] = sentAt.keys()
    if (sentAt.size > maxUsers && oldest !== undefined) sentAt.delete(oldest)
    return true
  }

  async function deliver(userId: string, { to, ...mail }: AddressedMail): Promise<void> {
    await lane.run(async () => {
      if (closed) return
      try {
        await mailer.send({
          ...(await securityMail(mail, notMeLink && ((headline) => linkFor(notMeLink, { userId, headline })))),
          to,
        })
      } catch (error) {
        // The mailer's errors contain neither the mail nor an address.
        logger.warn({ err: error, user: userId }, 'security mail not sent')
      }
    })
  }

  /** Without a link, the mail is still worth sending. */
  async function linkFor(make: NotMeLink, mail: DisownableMail): Promise<string | undefined> {
    try {
      return await make(mail)
    } catch (error) {
      logger.warn({ err: error, user: mail.userId }, 'security mail sent without its link')
      return undefined
    }
  }

  return {
    rows,
    send(userId, mail) {
      if (closed) return
      if (inProgress.size >= maxInProgress || !count(limitOf(userId, mail))) {
        logger.warn({ user: userId }, 'security mail dropped: too many')
        return
      }
      const sending = deliver(userId, mail).finally(() => inProgress.delete(sending))
      inProgress.add(sending)
    },
    async sent() {
      await Promise.all(inProgress)
    },
    async close() {
      closed = true
      await Promise.all(inProgress)
    },
  }
}

/** An attacker can cause these events, for example by locking codes, so the mails about each of them use up no place of the others. */
const countedApart: ReadonlySet<AddressedMail['kind']> = new Set([
  'codes_locked',
  'caller_denied',
  'approval_reported',
  'mail_reported',
  'bulk_started',
  'many_changed',
  'unlocked',
  'signed_out',
])

const limitOf = (userId: string, { kind }: AddressedMail) => (countedApart.has(kind) ? `${userId} ${kind}` : userId)
