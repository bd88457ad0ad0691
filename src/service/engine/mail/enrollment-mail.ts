import { composeMail } from './compose.ts'
import type { MailLink } from './compose.ts'
import { mailLanguage, nameIn, timeIn } from './mail-language.ts'
import type { Mail, MailImage } from './mailer.ts'

/** The content of the mail. */
export interface EnrollmentMail {
  readonly organization: string
  readonly domain: string
  readonly link: string
  /** Unix time, seconds. */
  readonly expiresAt: number
  /** Whether the person has another factor already. */
  readonly enrolled: boolean
  /** BCP 47; null for English. */
  readonly language: string | null
  /** IANA; null for UTC. */
  readonly timeZone: string | null
}

/** Composes the mail with the link that sets up a device. */
export async function enrollmentMail(mail: EnrollmentMail): Promise<Omit<Mail, 'to'>> {
  const language = await mailLanguage(mail.language)
  const { headline, first, another, button, scan, until, warning } = language.words.enrollment
  const link: MailLink = { href: mail.link, label: button, scan, qrCode: await qrCodeOf(mail.link) }
  return composeMail(language, {
    headline: headline(nameIn(language, mail.domain)),
    sentences: [mail.enrolled ? another : first],
    link,
    closing: [until(timeIn(language, mail.expiresAt, mail.timeZone))],
    warning,
    domain: mail.domain,
    organization: mail.organization,
  })
}

/** As GIF, which every mail program shows; many of them show no SVG. The package is loaded when the first mail is sent. */
async function qrCodeOf(link: string): Promise<MailImage> {
  const { encodeQR } = await import('qr')
  return { name: 'link.gif', bytes: encodeQR(link, 'gif', { ecc: 'medium', border: 4, scale: 6 }) }
}
