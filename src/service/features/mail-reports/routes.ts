import type { IncomingMessage, ServerResponse } from 'node:http'

import { acceptedTags } from '../../../ground/accepted-languages.ts'
import { matchLanguage } from '../../../contract/languages.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { loadOnce } from '../../engine/base/load-once.ts'
import { send } from '../../engine/http/answer.ts'
import { errorAnswer } from '../../engine/http/errors.ts'
import { observe } from '../../engine/http/observe.ts'
import { contextOfRequest, nameRequest, requestIdOf } from '../../engine/http/request-id.ts'
import type { PageState } from './page.ts'
import { readMailReport, reportMail } from './report.ts'

const methods = 'GET, HEAD, POST'

/**
 * Serves everything below `/not-me`: the page behind the link “This wasn’t me” of a mail. A read changes nothing, because mail programs
 * follow links.
 */
export function createNotMeRoutes(service: ServiceContext): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => void serve(service, req, res)
}

async function serve(service: ServiceContext, req: IncomingMessage, res: ServerResponse): Promise<void> {
  nameRequest(req, res)
  const requestId = requestIdOf(res)
  observe(service, { reader: res, requestId }, 'not-me')
  const { method } = req
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    return send(res, { status: 405, headers: { Allow: methods }, body: '' })
  }
  const ctx = { ...contextOfRequest(service, requestId), address: service.addressOf(req) ?? null }
  const secret = secretOf(req.url)
  try {
    if (method === 'POST' && secret !== undefined) {
      await reportMail(ctx, secret)
      // A reload of what follows repeats nothing. Relative, as the service may be mounted anywhere.
      const { pageHeaders } = await loadPage()
      return send(res, { status: 303, headers: { ...pageHeaders, Location: `./${secret}` }, body: '' })
    }
    const report = secret === undefined ? undefined : await readMailReport(ctx, secret)
    if (!report) return await page(req, res, 404, { name: 'over' })
    const name = report.usedAt === null ? 'question' : 'done'
    await page(req, res, 200, { name, headline: report.headline }, report.language)
  } catch (error) {
    const { status } = errorAnswer(error, { label: {}, failures: ctx.failures, requestId })
    await page(req, res, status, { name: 'later' })
  }
}

/** Created with the first request: most services get none for hours. */
const loadPage = loadOnce(() => import('./page.ts'))

/** The secret in the path; undefined for any other path, so that it causes no query. */
const secretOf = (url = ''): string | undefined => /^\/not-me\/([\w-]{43})(?:\?|$)/.exec(url)?.[1]

async function page(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  state: PageState,
  language: string | null = wantedLanguage(req),
): Promise<void> {
  const { createNotMePage, pageHeaders } = await loadPage()
  const html = await createNotMePage(state, language)
  const headers = { ...pageHeaders, 'Content-Length': String(Buffer.byteLength(html)) }
  send(res, { status, headers, body: req.method === 'HEAD' ? '' : html })
}

/** The best of the browser's languages that is one of ours. */
function wantedLanguage({ headers }: IncomingMessage): string | null {
  return acceptedTags(headers['accept-language']).find((tag) => matchLanguage(tag) !== undefined) ?? null
}
