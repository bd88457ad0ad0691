import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import type { KoaContextWithOIDC } from 'oidc-provider'

import { policyOfApp } from '../challenge/policy.ts'
import type { FrameworkRequest } from '../express/framework/request.ts'
import { resolveOptions } from '../express/options/options.ts'
import { loadLanguageFor } from '../express/pages/languages.ts'
import { layoutOf, page, renderPage } from '../express/pages/layout.ts'
import { wantsJson } from '../express/request/navigation.ts'
import type { Mfa, RequestContext } from '../express/request/context.ts'
import type { Page } from '../express/request/outcome.ts'
import { SetupError } from '../service-handle.ts'
import { folder, prefixOf, routes } from './addresses.ts'
import type { ResolvedOidcOptions } from './options.ts'
import { pageOptionsOf } from './options.ts'

/** A page, ready to be sent. */
export interface RenderedPage {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The pages of the provider that belong to no domain. They look and speak like those of `mfa()`. */
export interface ProviderPages {
  /** What the files of these pages depend on. */
  readonly options: Mfa['options']
  /** Answers a request that cannot be answered to the client. @param code The error of the protocol. */
  error(ctx: KoaContextWithOIDC, code: string): Promise<void>
  /** The same for a request that oidc-provider has not seen. */
  refused(req: IncomingMessage, code: string): Promise<RenderedPage>
  /** Asks whether to sign out. @param form That of oidc-provider, with its token. */
  logout(ctx: KoaContextWithOIDC, form: string): Promise<void>
  loggedOut(ctx: KoaContextWithOIDC): Promise<void>
  /** Says that a sign-in has expired or belongs to another browser. */
  expired(req: IncomingMessage): Promise<RenderedPage>
  unavailable(req: IncomingMessage): Promise<RenderedPage>
  /** Returns to the client, in a navigation of its own: what follows a form must stay on this origin (CSP, `form-action`). */
  leaving(req: IncomingMessage, location: string): Promise<RenderedPage>
  /** Posts a response to the client (OAuth 2.0 Form Post Response Mode). */
  posting(req: IncomingMessage, action: string, fields: Readonly<Record<string, string>>): Promise<RenderedPage>
}

export function createPages(oidcOptions: ResolvedOidcOptions): ProviderPages {
  const { issuer } = oidcOptions
  const options = resolveOptions(
    { ...pageOptionsOf(oidcOptions), service: noService, publicUrl: issuer, path: folder, user: () => null },
    process.env,
  )
  const prefix = prefixOf(issuer)
  const context = {
    base: prefix + folder,
    prefix,
    host: new URL(issuer).host,
    mfa: { options, policy: policyOfApp(options) },
    user: undefined,
    userKey: undefined,
    requestId: () => '',
  } as unknown as RequestContext

  const layout = async (req: IncomingMessage) => {
    const request = req as unknown as FrameworkRequest
    await loadLanguageFor(request, context)
    return layoutOf({ req: request, context, state: {} })
  }
  const message = async (req: IncomingMessage, status: number, name: 'expired' | 'unavailable') => {
    const model = await layout(req)
    const { headline, sentence } = name === 'expired' ? model.words.oidc.expired : model.words.problems.unavailable
    return render(page(status, 'message', { ...model, ...noForms, headline, sentence }))
  }
  const refusal = async (req: IncomingMessage, status: number, code: string) => {
    const model = await layout(req)
    const { headline, sentence } = model.words.oidc.refused
    return render(page(status, 'message', { ...model, ...noForms, headline, sentence: sentence(code) }))
  }

  return {
    options,
    async error(ctx, code) {
      if (code === 'server_error' || code === 'temporarily_unavailable')
        return send(ctx, await this.unavailable(ctx.req))
      if (ctx.oidc.route === 'resume' || ctx.oidc.route === 'end_session_confirm')
        return send(ctx, await this.expired(ctx.req))
      send(ctx, await refusal(ctx.req, ctx.status >= 400 ? ctx.status : 400, code))
    },
    refused: (req, code) => refusal(req, 400, code),
    async logout(ctx, form) {
      const model = await layout(ctx.req)
      const [, token = ''] = /name="xsrf" value="([^"]*)"/.exec(form) ?? []
      const { headline } = model.words.oidc.logOut
      const target = ctx.oidc.params?.['post_logout_redirect_uri']
      const formTargets = [...model.formTargets, ...(typeof target === 'string' ? [new URL(target).origin] : [])]
      const view = { ...model, headline, formTargets, xsrf: token, confirm: `${prefix}${routes.end_session}/confirm` }
      send(ctx, render(page(200, 'oidc-log-out', view)))
    },
    async loggedOut(ctx) {
      const model = await layout(ctx.req)
      send(ctx, render(page(200, 'message', { ...model, ...noForms, ...model.words.oidc.loggedOut })))
    },
    async expired(req) {
      const rendered = await message(req, 400, 'expired')
      if (!wantsJson(req)) return rendered
      const { sentence } = (await layout(req)).words.oidc.expired
      const headers = { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' }
      return { status: 400, headers, body: JSON.stringify({ error: 'expired', message: sentence }) }
    },
    unavailable: (req) => message(req, 503, 'unavailable'),
    async leaving(req, location) {
      const model = await layout(req)
      const { headline, sentence, button } = model.words.oidc.leaving
      const view = { ...model, ...noForms, headline, sentence, button, target: location }
      return render(page(200, 'message', view, { Refresh: `0; url=${location}` }))
    },
    async posting(req, action, fields) {
      const model = await layout(req)
      const { headline } = model.words.oidc.leaving
      // The client may redirect what it was sent, and browsers apply this directive to that as well.
      const formTargets = [new URL(action).origin, 'https:']
      const rendered = render(
        page(200, 'oidc-post', { ...model, headline, formTargets, target: action, fields, submit }),
      )
      const csp = rendered.headers['Content-Security-Policy']?.replace(
        "script-src 'self'",
        `script-src 'self' ${submitHash}`,
      )
      return { ...rendered, headers: { ...rendered.headers, 'Content-Security-Policy': csp ?? '' } }
    },
  }
}

/** Pages of the provider call no service. */
const noService = {
  routes: (_req: unknown, _res: unknown, next: () => void) => next(),
  connect: () => Promise.reject(new SetupError('pages of the provider call no service')),
  close: () => Promise.resolve(),
}

const noForms = { action: undefined, availableCodes: [], button: undefined }

/** Sends the form of the page as soon as it is there. */
const submit = 'document.forms[0].submit()'
const submitHash = `'sha256-${createHash('sha256').update(submit).digest('base64')}'`

const render = (rendered: Page): RenderedPage => ({
  status: rendered.status,
  headers: { 'Cache-Control': 'no-store', ...rendered.headers },
  body: renderPage(rendered),
})

export function send(
  ctx: Pick<KoaContextWithOIDC, 'status' | 'set' | 'body'>,
  { status, headers, body }: RenderedPage,
): void {
  ctx.status = status
  ctx.set({ ...headers })
  ctx.body = body
}
