import type { Answer, Outcome } from '../request/outcome.ts'
import { readsProblemAsJson } from '../request/navigation.ts'
import { layoutOf, page } from './layout.ts'
import type { PageRequest } from './layout.ts'
import type { Message, Messages } from '../messages/messages.ts'
import { oneText } from './notice.ts'

type Name = keyof Messages['problems']

/** A page that is not about a challenge. */
export function message(
  request: PageRequest,
  status: number,
  name: Name,
  headers?: Readonly<Record<string, string>>,
): Outcome {
  return { state: 'as-is', answer: messagePage(request, status, name, headers) }
}

function messagePage(
  request: PageRequest,
  status: number,
  name: Name,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { req, context } = request
  const layout = layoutOf(request)
  const words: Message = layout.words.problems[name]
  if (readsProblemAsJson(req)) {
    const body = { error: errorCodes[name] ?? name, message: oneText(words) }
    return { kind: 'json', status, body, headers: { ...layout.languageHeaders, ...headers } }
  }
  const target = startsOver.has(name) ? `${context.prefix}/` : context.base + (ways[name] ?? '')
  const helpUrl = name === 'ask_administrator' ? context.mfa.options.helpUrl : undefined
  return page(status, 'message', { ...layout, ...words, ...noForms, target, helpUrl }, headers)
}

/** Names that scripts know otherwise. */
const errorCodes: Partial<Record<Name, string>> = { sign_in_first: 'sign_in_required' }

const noForms = { action: undefined, availableCodes: [] }

/** Problems that the challenge page cannot solve. */
const startsOver: ReadonlySet<Name> = new Set(['sign_in_first', 'not_found'])

/** Problems that another of our pages solves. */
const ways: Partial<Record<Name, string>> = { last_factor: '/devices', ask_administrator: '/devices' }
