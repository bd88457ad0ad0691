import { composeMail } from './compose.ts'
import { mailLanguage, nameIn, timeIn } from './mail-language.ts'
import type { MailLanguage } from './mail-language.ts'
import { factLine } from './mail-facts.ts'
import type { MailFacts } from './mail-facts.ts'
import type { Mail } from './mailer.ts'
import type { ChangeKind } from './kinds.ts'

/**
 * What is told by mail. To a user: a change of factors, a kept browser, a sign-in that they reported, that codes are locked, or, at
 * the old address, that it is no longer theirs.
 * To an owner of the organization: that a user answered No to the help desk, that a mail told of something that was not them, that
 * an administrator acts on many users, or that the seeds of factors were exported.
 */
export interface SecurityEvent {
  readonly kind:
    | ChangeKind
    | 'browser_kept'
    | 'sign_in_reported'
    | 'codes_locked'
    | 'caller_denied'
    | 'approval_reported'
    | 'mail_reported'
    | 'email_changed'
    | 'bulk_started'
    | 'many_changed'
    | 'factors_exported'
  /** The time at which locked codes work again, Unix time, seconds; absent if only an administrator can unlock them. */
  readonly until?: number | undefined
  /** One recovery code was made for the user, and no list by the user. */
  readonly handedOver?: boolean | undefined
}

/** The content of the mail. */
export interface SecurityMail extends SecurityEvent {
  readonly organization: string
  /** Undefined if the event concerns the whole organization. */
  readonly domain: string | undefined
  /** Unix time, seconds. */
  readonly at: number
  readonly facts?: MailFacts | undefined
  /** The user, the administrator, or the user of the operating system, that an owner is told about. */
  readonly username?: string
  /** How many users it concerns now, and in 24 hours. */
  readonly people?: number
  readonly total?: number
  /** BCP 47; null for English. */
  readonly language: string | null
  /** IANA; null for UTC. */
  readonly timeZone: string | null
}

/**
 * Composes the mail about an event.
 * @param linkFor Makes the link with which its reader says that it was not them.
 */
export async function securityMail(
  mail: SecurityMail,
  linkFor?: (headline: string) => Promise<string | undefined>,
): Promise<Omit<Mail, 'to'>> {
  const { organization, domain } = mail
  const language = await mailLanguage(mail.language)
  const { headline, sentences, warning } = wordsFor(mail, language)
  const factText = mail.facts ? factLine(language, mail.facts) : ''
  const time = language.words.time(timeIn(language, mail.at, mail.timeZone))
  const all = [...sentences, ...(factText === '' ? [] : [factText]), time]
  const href = linkFor && isDisownable(mail) ? await linkFor(headline) : undefined
  const answer = href === undefined ? undefined : { href, label: language.words.notMe.link }
  return composeMail(language, { headline, sentences: all, warning, answer, organization, domain })
}

/** Whether its reader can say that it was not them: it tells them what happened to them, and they have not said so already. */
const isDisownable = ({ kind }: SecurityMail): boolean => !undisowned.has(kind)

const undisowned: ReadonlySet<SecurityMail['kind']> = new Set([
  'sign_in_reported',
  'caller_denied',
  'approval_reported',
  'mail_reported',
  'bulk_started',
  'many_changed',
  'factors_exported',
])

function wordsFor(mail: SecurityMail, language: MailLanguage) {
  const { kind, until, domain, organization, username = '', people = 0, total = people } = mail
  const { changes, reported, locked, caller, notAsked, disowned, addressChanged, bulk, exported, tell } = language.words
  const place = nameIn(language, domain ?? organization)
  if (kind === 'sign_in_reported') {
    return { ...reported, headline: reported.headline(place), sentences: [reported.sentence] }
  }
  if (kind === 'codes_locked') {
    const end = until === undefined ? locked.unlock : locked.until(timeIn(language, until, mail.timeZone))
    return { ...locked, headline: locked.headline(place), sentences: [locked.sentence, end] }
  }
  if (kind === 'email_changed') {
    return { headline: addressChanged.headline(place), sentences: [addressChanged.sentence], warning: tell }
  }
  if (kind === 'caller_denied') {
    const sentences = [caller.sentence(nameIn(language, username)), caller.blocked]
    return { headline: caller.headline(place), sentences, warning: caller.warning }
  }
  if (kind === 'approval_reported') {
    const sentences = [notAsked.sentence(nameIn(language, username)), notAsked.blocked]
    return { headline: notAsked.headline(place), sentences, warning: caller.warning }
  }
  if (kind === 'mail_reported') {
    const sentences = [disowned.sentence(nameIn(language, username)), disowned.done]
    return { headline: disowned.headline(place), sentences, warning: caller.warning }
  }
  if (kind === 'many_changed') {
    return {
      headline: bulk.headline(place),
      sentences: [bulk.total(nameIn(language, username), total)],
      warning: bulk.revoke,
    }
  }
  if (kind === 'factors_exported') {
    const sentences = [exported.sentence(nameIn(language, username), people)]
    return { ...exported, headline: exported.headline(place), sentences }
  }
  if (kind === 'bulk_started') {
    const name = nameIn(language, username)
    const sentences = [bulk.sentence(name, people), ...(total > people ? [bulk.total(name, total)] : [])]
    return { headline: bulk.headline(place), sentences, warning: bulk.warning }
  }
  const { handedOver, facts } = mail
  const headline = handedOver && kind === 'codes_made' ? language.words.handedCode[facts?.by ?? 'app'] : changes[kind]
  return { headline: headline(place), sentences: [], warning: tell }
}
