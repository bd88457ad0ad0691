import { ApiProblem } from '../base/problem.ts'
import type { Call } from './route.ts'

const pageSize = 100

/** The rows to read for a page: one more than it shows, to tell whether there is a next page. */
export const rowsOfPage = pageSize + 1

/** What a caller asks for. In version 1.4 a list is also read by key: `after` is what the last page names in its link. */
export interface PageQuery {
  readonly page?: string | number | undefined
  readonly after?: string | undefined
}

/** Where a page begins: so many rows after the row with this sequence. */
export interface PageStart {
  readonly after: number
  readonly offset: number
}

export interface Page extends PageStart {
  /** Absent where the list is read by key. */
  readonly number?: number
}

/**
 * @param query Without members, or with an empty page as old clients send it, it means the first page; so does an empty key, from
 *   which the next pages are linked by key.
 */
function parsePage({ version }: Pick<Call, 'version'>, { page, after }: PageQuery): Page {
  if (version === '1.3' || after === undefined) return pageByNumber(String(page ?? '') || '1')
  if (page !== undefined && page !== '')
    throw new ApiProblem('api.error.invalid.page', 'Use either page or after, not both.')
  if (!/^[0-9]{0,15}$/.test(after))
    throw new ApiProblem('api.error.invalid.page', 'after: expected what the link to the next page contains.')
  return { after: Number(after), offset: 0 }
}

function pageByNumber(text: string): Page {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new ApiProblem('api.error.invalid.page')
  const number = Number(text)
  return { number, after: 0, offset: (number - 1) * pageSize }
}

/**
 * Reads a page of a list, in the lane of lists.
 *
 * @param read.rows The rows of the page, and one more.
 */
export function readPage<Row extends { readonly sequence: number }, Shown>(
  call: Pick<Call, 'version' | 'http' | 'lists'>,
  query: PageQuery,
  read: {
    readonly rows: (page: Page) => Promise<readonly Row[]>
    readonly show: (rows: readonly Row[]) => Shown | Promise<Shown>
  },
): Promise<Shown> {
  const page = parsePage(call, query)
  return call.lists.ofApps.run(async () => read.show(cutPage(call, await read.rows(page), page)))
}

/** The rows of the page. Over HTTP a Link header names its neighbors (RFC 8288). */
function cutPage<T extends { readonly sequence: number }>(
  { http }: Pick<Call, 'http'>,
  rows: readonly T[],
  { number }: Page,
): T[] {
  const shownRows = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shownRows.at(-1) : undefined
  http?.setHeader('Link', number === undefined ? linksByKey(http.path, last) : linksByNumber(http.path, number, last))
  return shownRows
}

/** @param last The last row of the page; absent on the last page. */
function linksByNumber(path: string, number: number, last: object | undefined): string {
  const links = [link(path, 'first', 'page=1')]
  if (number > 1) links.push(link(path, 'prev', `page=${number - 1}`))
  if (last) links.push(link(path, 'next', `page=${number + 1}`))
  return links.join(', ')
}

function linksByKey(path: string, last: { readonly sequence: number } | undefined): string {
  const links = [link(path, 'first', 'after=')]
  if (last) links.push(link(path, 'next', `after=${last.sequence}`))
  return links.join(', ')
}

const link = (path: string, relation: string, query: string) => `<${path}?${query}>; rel="${relation}"`
