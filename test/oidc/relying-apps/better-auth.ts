import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import express from 'express'
import type { Response as Answer } from 'express'

import type { AppSettings, RelyingApp } from './start-app.ts'
import { appUrl } from './start-app.ts'

const provider = 'second-factor'

/** The generic OAuth plugin of better-auth. It wants the address of each user, so the client is registered for the scope `email`. */
export const betterAuthApp: RelyingApp = {
  name: 'better-auth',
  callback: `/api/auth/callback/${provider}`,
  registration: { scopes: ['profile', 'email'] },
  hasLogout: true,
  readsIssuer: true,
  create: (settings) => {
    const auth = createAuth(settings)
    const app = express()
    const handle = (path: string, handler: (headers: Headers, res: Answer) => Promise<void>) =>
      app.get(path, (req, res, next) => void handler(fromNodeHeaders(req.headers), res).catch(next))
    app.all('/api/auth/*path', toNodeHandler(auth))
    handle('/login', async (headers, res) => {
      const body = { provider, callbackURL: '/' }
      await redirect(await auth.api.signInSocial({ body, headers, asResponse: true }), res)
    })
    handle('/', async (headers, res) => {
      const session = await auth.api.getSession({ headers })
      const accounts = session ? await auth.api.listUserAccounts({ headers }) : []
      res.json(session && { sub: accounts[0]?.accountId, name: session.user.name })
    })
    handle('/logout', async (headers, res) => {
      await redirect(await auth.api.signOut({ body: { callbackURL: '/' }, headers, asResponse: true }), res)
    })
    return app
  },
}

function createAuth({ issuer, client }: AppSettings) {
  const database = { user: [], session: [], account: [], verification: [], rateLimit: [] }
  return betterAuth({
    secret: 'a secret of the app, of at least 32 characters',
    baseURL: appUrl,
    database: memoryAdapter(database),
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: provider,
            discoveryUrl: `${issuer}/.well-known/openid-configuration`,
            clientId: client.id,
            clientSecret: client.clientSecret ?? '',
            scopes: ['openid', 'profile', 'email'],
            requireIdTokenVerification: true,
          },
        ],
      }),
    ],
  })
}

/** Sends the browser where better-auth says, with its cookies. */
async function redirect(answer: Response, res: Answer): Promise<void> {
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie)
  const { url } = (await answer.json()) as { url: string }
  res.redirect(url)
}
