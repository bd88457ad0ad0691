import express from 'express'
import openidConnect from 'express-openid-connect'

import type { RelyingApp } from './start-app.ts'
import { appUrl } from './start-app.ts'

/** The code flow: the library would ask for an ID token in a form by default, which the provider does not offer. */
export const expressOpenidConnect: RelyingApp = {
  name: 'express-openid-connect',
  callback: '/callback',
  hasLogout: true,
  readsIssuer: true,
  create: ({ issuer, client }) => {
    const app = express()
    app.use(
      openidConnect.auth({
        issuerBaseURL: issuer,
        baseURL: appUrl,
        clientID: client.id,
        clientSecret: client.clientSecret ?? '',
        secret: 'a secret of the app for its cookies',
        authRequired: false,
        idpLogout: true,
        enableTelemetry: false,
        routes: { postLogoutRedirect: `${appUrl}/` },
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
      }),
    )
    app.get('/', (req, res) => res.json(req.oidc.isAuthenticated() ? req.oidc.idTokenClaims : null))
    return app
  },
}
