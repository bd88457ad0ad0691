import type { MailLanguage } from './mail-language.ts'
import type { Mail, MailImage } from './mailer.ts'
import { plainLine } from './plain-line.ts'

/** The content of a mail. */
export interface MailContent {
  /** The subject, too. It is visible on locked screens, so it contains no code. */
  readonly headline: string
  readonly code?: string
  readonly sentences: readonly string[]
  readonly link?: MailLink
  /** The text after the link. */
  readonly closing?: readonly string[]
  readonly warning: string
  /** The link after everything else, where the reader says that it was not them. */
  readonly answer?: { readonly href: string; readonly label: string } | undefined
  /** The names are chosen by administrators, never by the user who signs in. */
  readonly domain: string | undefined
  readonly organization: string
}

/** A link that the user opens on the device that is set up, and its QR code. */
export interface MailLink {
  readonly href: string
  readonly label: string
  /** Describes the QR code. */
  readonly scan: string
  readonly qrCode: MailImage
}

/**
 * Composes a mail as plain text and as HTML: short, and without remote content. A mail with a code has no link: users must not
 * learn to follow links in such mails. The pages of the other links ask for no password and no code.
 */
export function composeMail(language: MailLanguage, content: MailContent): Omit<Mail, 'to'> {
  const { headline, code, sentences, link, closing = [], warning, answer } = content
  const names = content.domain === undefined ? [content.organization] : [content.domain, content.organization]
  const sender = [...new Set(names.map(plainLine))].join(' · ')
  const spacedCode = code === undefined ? undefined : `${code.slice(0, 3)} ${code.slice(3)}`
  const parts = [
    headline,
    ...(spacedCode === undefined ? [] : [`    ${isolated(spacedCode, language)}`]),
    ...sentences,
    ...(link === undefined ? [] : [link.href]),
    ...closing,
    warning,
    ...(answer === undefined ? [] : [`${answer.label}:\n${answer.href}`]),
  ]
  return {
    subject: headline,
    text: `${[...parts, sender].join('\n\n')}\n`,
    html: page(language, { headline, spacedCode, sentences, link, closing, warning, answer, sender }),
    ...(link && { image: link.qrCode }),
  }
}

/** Right-to-left text would show the second half of the code first. */
function isolated(code: string, { direction }: MailLanguage): string {
  return direction === 'rtl' ? `\u2066${code}\u2069` : code
}

interface Words extends Pick<MailContent, 'headline' | 'sentences' | 'warning' | 'answer'> {
  readonly spacedCode: string | undefined
  readonly link: MailLink | undefined
  readonly closing: readonly string[]
  readonly sender: string
}

function page({ tag, direction }: MailLanguage, words: Words): string {
  const { headline, spacedCode, sentences, link, closing, warning, answer, sender } = words
  const font = 'font-family: system-ui, -apple-system, Segoe UI, Roboto, sans-serif'
  const big = 'font-size: 40px; line-height: 1.4; font-weight: 600; letter-spacing: 0.08em; white-space: nowrap'
  const code =
    spacedCode === undefined ? '' : `<p style="margin: 0 0 16px; ${big}"><bdi dir="ltr">${spacedCode}</bdi></p>\n`
  const body = `${sentences.map(paragraph).join('')}${link ? linkOf(link) : ''}${closing.map(paragraph).join('')}`
  // Some mail programs drop the attributes of <html> and <body>.
  const attributes = `lang="${escape(tag)}" dir="${direction}"`
  return `<!doctype html>
<html ${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(headline)}</title>
</head>
<body style="margin: 0; padding: 24px; ${font}; font-size: 16px; line-height: 1.5">
<div ${attributes} style="max-width: 26em; margin: 0 auto">
<h1 style="margin: 0 0 8px; font-size: 20px; font-weight: 600">${escape(headline)}</h1>
${code}${body}<p style="margin: 0 0 24px"><strong>${escape(warning)}</strong></p>
${answer ? answerOf(answer) : ''}<p style="margin: 0; opacity: 0.75">${escape(sender)}</p>
</div>
</body>
</html>
`
}

const paragraph = (sentence: string): string => `<p style="margin: 0 0 16px">${escape(sentence)}</p>\n`

/** The link as a button and, for a user who reads the mail elsewhere, as a QR code. It is dark on light in both schemes. */
function linkOf({ href, label, scan, qrCode }: MailLink): string {
  const button = 'display: inline-block; padding: 12px 20px; border-radius: 12px; background: #1a56db; color: #ffffff'
  const image = 'display: block; width: 192px; height: 192px; background: #ffffff'
  return `<p style="margin: 0 0 24px"><a href="${escape(href)}" style="${button}">${escape(label)}</a></p>
${paragraph(scan)}<p style="margin: 0 0 24px"><img src="cid:${escape(qrCode.name)}" alt="" width="192" height="192" style="${image}"></p>
`
}

/** A quiet button, as most readers do not need it. */
function answerOf({ href, label }: NonNullable<MailContent['answer']>): string {
  const button = 'display: inline-block; padding: 11px 19px; border: 1px solid; border-radius: 12px; color: inherit'
  return `<p style="margin: 0 0 24px"><a href="${escape(href)}" style="${button}">${escape(label)}</a></p>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
