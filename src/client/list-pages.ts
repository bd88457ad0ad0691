import type { Endpoint, EndpointInput, EndpointOutput } from '../contract/endpoint.ts'
import type { pageQuery } from '../contract/page-query.ts'
import type { CallInput } from './describe-call.ts'
import { UnreachableError } from './errors.ts'
import { nextPage } from './next-page.ts'
import type { ParsedResponse } from './read-response.ts'
import type { Transport } from './transport.ts'

/** An operation that reads a page of a list. */
type ListEndpoint = Endpoint & { readonly query: { readonly shape: typeof pageQuery } }

/**
 * Reads a list to its end, a page at a time. In version 1.4 it follows the links of the service, by key: rows that are added or deleted
 * meanwhile make it skip none. In 1.3 it counts the pages.
 *
 * @throws {UnreachableError} also where the links of the service got lost.
 */
export async function* listPages<E extends ListEndpoint>(
  transport: Transport,
  endpoint: E,
  params: CallInput['params'] = {},
): AsyncGenerator<EndpointOutput<E>, void> {
  const byKey = (await transport.version()) === '1.4'
  let query: Readonly<Record<string, string>> | undefined = byKey ? { after: '' } : { page: '1' }
  for (let number = 2; query; number += 1) {
    const input = { params, query } as unknown as EndpointInput<E>
    const { body, link }: ParsedResponse<EndpointOutput<E>> = await transport.call(endpoint, input)
    const isEmpty = isEmptyList(body)
    if (!isEmpty) yield body
    if (byKey) query = following(query, link)
    else query = isEmpty ? undefined : { page: String(number) }
  }
}

/** @throws {UnreachableError} where the list would end too early, or never. */
function following(query: Readonly<Record<string, string>>, link: string | undefined) {
  if (link === undefined)
    throw new UnreachableError('bad_response', 'The list has no header Link, which a proxy may have removed.')
  const next = nextPage(link)
  if (next && next['after'] === query['after'])
    throw new UnreachableError('bad_response', 'The next page of the list is the same one.')
  return next
}

const isEmptyList = (body: unknown): boolean => Array.isArray(body) && body.length === 0
