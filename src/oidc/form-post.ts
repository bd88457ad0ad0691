import type Provider from 'oidc-provider'

import type { ProviderPages } from './pages.ts'
import { send } from './pages.ts'

/** Sends the form that oidc-provider posts to a client (OAuth 2.0 Form Post Response Mode 1.0) on a page of ours. */
export function replaceFormPosts(provider: Provider, pages: ProviderPages): void {
  provider.use(async (ctx, next) => {
    await next()
    const form = typeof ctx.body === 'string' ? parsePostedForm(ctx.body) : undefined
    if (form) send(ctx, await pages.posting(ctx.req, form.action, form.fields))
  })
}

interface PostedForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** @returns undefined for any other page. */
function parsePostedForm(html: string): PostedForm | undefined {
  if (!html.includes('<title>Submitting Callback</title>')) return undefined
  const [, action] = /<form method="post" action="([^"]*)">/.exec(html) ?? []
  if (action === undefined) return undefined
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)]
  const fields = inputs.map(([, name = '', value = '']) => [unescape(name), unescape(value)] as const)
  return { action: unescape(action), fields: Object.fromEntries(fields) }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescape = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
