import type { Mail } from './mailer.ts'
import { plainLine } from './plain-line.ts'

/** The content of the mail. The names are chosen by administrators, never by the user who signs in. */
export interface CodeMail {
  readonly organization: string
  readonly domain: string
  readonly code: string
  /** How long the code is valid, minutes. */
  readonly minutes: number
}

/**
 * Composes the mail with a one-time code: short, without links or remote content. The subject is visible on locked screens,
 * so it does not contain the code.
 */
export function codeMail({ organization, domain, code, minutes }: CodeMail): Omit<Mail, 'to'> {
  const names = { domain: plainLine(domain), organization: plainLine(organization) }
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
  const words = {
    headline: `Your code for ${names.domain}`,
    use: `Type it on the page where you asked for it. It works once, for ${minutes} minutes.`,
    warning: 'If you did not ask for it, change your password.',
    sender: `${names.domain}, ${names.organization}`,
  }
  return {
    subject: words.headline,
    text: `${words.headline}:\n\n    ${spaced}\n\n${words.use}\n\n${words.warning}\n\n${words.sender}\n`,
    html: page({ ...words, spaced }),
  }
}

interface Words {
  readonly headline: string
  readonly spaced: string
  readonly use: string
  readonly warning: string
  readonly sender: string
}

function page(words: Words): string {
  const { headline, spaced, use, warning, sender } = words
  const font = 'font-family: system-ui, -apple-system, Segoe UI, Roboto, sans-serif'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(headline)}</title>
</head>
<body style="margin: 0; padding: 24px; ${font}; font-size: 16px; line-height: 1.5">
<div style="max-width: 26em; margin: 0 auto">
<h1 style="margin: 0 0 8px; font-size: 20px; font-weight: 600">${escape(headline)}</h1>
<p style="margin: 0 0 16px; font-size: 40px; line-height: 1.4; font-weight: 600; letter-spacing: 0.08em; white-space: nowrap">${spaced}</p>
<p style="margin: 0 0 16px">${escape(use)}</p>
<p style="margin: 0 0 24px"><strong>${escape(warning)}</strong></p>
<p style="margin: 0; opacity: 0.75">${escape(sender)}</p>
</div>
</body>
</html>
`
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
