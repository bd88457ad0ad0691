import type { z } from 'zod'

import type { CeremonyOptions } from '../../challenge/passkey.ts'
import type { Outcome } from '../request/outcome.ts'
import { json } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { languageFor } from './languages.ts'

/** Gives the options of a ceremony to the script of the page, or the text to show there. */
export function ceremonyOptions({ req, context }: WebRequest, options: CeremonyOptions): Outcome {
  const { passkey, notices } = languageFor(req, context).words
  if (options === undefined)
    return { state: 'as-is', answer: json(404, { error: 'no_passkey', message: notices.wrong_passkey.sentence }) }
  if (options === 'busy') return { state: 'as-is', answer: json(429, { error: 'throttled', message: passkey.busy }) }
  return { state: 'as-is', answer: json(200, options) }
}

/** The answer of the browser, which the script sends as JSON in a form; undefined if it is none. */
export function readResponse<S extends z.ZodType>(form: WebRequest['form'], schema: S): z.input<S> | undefined {
  const { response } = form
  if (typeof response !== 'string') return undefined
  try {
    const read: unknown = JSON.parse(response)
    return schema.safeParse(read).success ? (read as z.input<S>) : undefined
  } catch {
    return undefined
  }
}
