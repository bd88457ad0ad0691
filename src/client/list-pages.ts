import type { Endpoint, EndpointInput, EndpointOutput } from '../contract/endpoint.ts'
import type { pageQuery } from '../contract/page-query.ts'
import type { CallInput } from './describe-call.ts'
import type { ParsedResponse } from './read-response.ts'
import type { Transport } from './transport.ts'

/** An operation that reads a page of a list. */
type ListEndpoint = Endpoint & { readonly query: { readonly shape: typeof pageQuery } }

/**
 * Reads a list to its end, a page at a time. In version 1.4 it follows the links of the service, by key: rows that are added or deleted
 * meanwhile make it skip none. In 1.3 it counts the pages.
 */
export async function* listPages<E extends ListEndpoint>(
  transport: Transport,
  endpoint: E,
  params: CallInput['params'] = {},
): AsyncGenerator<EndpointOutput<E>, void> {
  const byKey = (await transport.version()) === '1.4'
  let query: ParsedResponse<unknown>['next'] = byKey ? { after: '' } : { page: '1' }
  for (let number = 2; query; number += 1) {
    const input = { params, query } as unknown as EndpointInput<E>
    const { body, next }: ParsedResponse<EndpointOutput<E>> = await transport.call(endpoint, input)
    const isEmpty = isEmptyList(body)
    if (!isEmpty) yield body
    query = byKey ? next : isEmpty ? undefined : { page: String(number) }
  }
}

const isEmptyList = (body: unknown): boolean => Array.isArray(body) && body.length === 0
