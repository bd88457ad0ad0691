import { ApiProblem } from '../base/problem.ts'
import type { Call } from './route.ts'

const pageSize = 100

/** The rows to read for a page: one more than it shows, to tell whether there is a next page. */
export interface Page {
  readonly number: number
  readonly offset: number
  readonly limit: number
}

/** @param page The parameter of the query; absent, or empty as old clients send it, means the first page. */
export function parsePage(page: string | number | undefined): Page {
  const text = String(page ?? '') || '1'
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new ApiProblem('api.error.invalid.page')
  const number = Number(text)
  return { number, offset: (number - 1) * pageSize, limit: pageSize + 1 }
}

/** The rows of the page. Over HTTP a Link header names its neighbors (RFC 8288). */
export function cutPage<T>({ http }: Pick<Call, 'http'>, rows: T[], page: Page): T[] {
  http?.setHeader('Link', linksTo(http.path, page, { hasNext: rows.length > pageSize }))
  return rows.slice(0, pageSize)
}

function linksTo(path: string, { number }: Page, { hasNext }: { readonly hasNext: boolean }): string {
  const links = [link(path, 1, 'first')]
  if (number > 1) links.push(link(path, number - 1, 'prev'))
  if (hasNext) links.push(link(path, number + 1, 'next'))
  return links.join(', ')
}

const link = (path: string, page: number, relation: string) => `<${path}?page=${page}>; rel="${relation}"`
