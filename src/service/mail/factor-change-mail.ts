import type { FactorChangeKind } from '../../contract/device.ts'
import type { Mail } from './mailer.ts'
import { plainLine } from './plain-line.ts'

/** The changes that are reported. After a reset no device is left to show a notice, so only a mail reports it. */
export type ReportedKind = FactorChangeKind | 'reset'

/** The content of the mail. The names are chosen by administrators, never by the user who signs in. */
export interface FactorChangeMail {
  readonly kind: ReportedKind
  readonly organization: string
  /** Undefined if the change concerns the whole organization. */
  readonly domain: string | undefined
  /** Unix time, seconds. */
  readonly at: number
}

const sentences: Readonly<Record<ReportedKind, string>> = {
  device_added: 'A device was added',
  device_replaced: 'Your device was replaced',
  device_removed: 'A device was removed',
  app_added: 'An authenticator app was added',
  app_replaced: 'Your authenticator app was replaced',
  app_removed: 'Your authenticator app was removed',
  hardware_added: 'A hardware token was added',
  hardware_removed: 'Your hardware token was removed',
  codes_made: 'New recovery codes were made',
  codes_removed: 'Recovery codes were removed',
  reset: 'Your second factors were reset',
}

/** Composes the mail about a change: plain text without links, so that users do not learn to follow links in such mail. */
export function factorChangeMail({ kind, organization, domain, at }: FactorChangeMail): Omit<Mail, 'to'> {
  const names = { organization: plainLine(organization), domain: domain === undefined ? undefined : plainLine(domain) }
  const headline = `${sentences[kind]} at ${names.domain ?? names.organization}`
  const time = `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const warning = "If this wasn't you, tell your administrator."
  const sender = names.domain === undefined ? names.organization : `${names.domain}, ${names.organization}`
  return { subject: headline, text: `${headline}.\n\nTime: ${time}\n\n${warning}\n\n${sender}\n` }
}
