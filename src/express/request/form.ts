import type { IncomingMessage } from 'node:http'

/** Our forms have a few short fields; bytes. */
const maxFormLength = 4096

/** Returns the fields of a posted form, also if the app's own parser has read it already. */
export async function readForm(req: IncomingMessage & { body?: unknown }): Promise<Readonly<Record<string, unknown>>> {
  if (typeof req.body === 'object' && req.body !== null) return req.body as Record<string, unknown>
  if (req.readableEnded || !/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return {}
  let text = ''
  for await (const chunk of req) {
    text += String(chunk)
    // Too long to be one of our forms.
    if (text.length > maxFormLength) return {}
  }
  return Object.fromEntries(new URLSearchParams(text))
}
