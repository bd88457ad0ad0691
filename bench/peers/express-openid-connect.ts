/** An Express app with express-openid-connect. Its session is an encrypted cookie, and it asks no identity provider. */
import express from 'express'
import type { RequestHandler } from 'express'

import { listen, ready } from '../contenders/listen.ts'

/** The parts of the package that are used here. It is installed only for the benchmark. */
interface ExpressOpenidConnect {
  readonly auth: (options: object) => RequestHandler
  readonly requiresAuth: () => RequestHandler
}

const name: string = 'express-openid-connect'
const { default: connect } = (await import(name)) as { default: ExpressOpenidConnect }

const app = express()
const { url, close } = await listen(app)
app.use(
  connect.auth({
    issuerBaseURL: 'https://identity.example',
    baseURL: url,
    clientID: 'benchmark',
    secret: 'for a benchmark, 32 characters or more',
    authRequired: false,
    idpLogout: false,
  }),
)
app.post('/login', (req, res) => {
  const encoded = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const idToken = `${encoded({ alg: 'RS256' })}.${encoded({ sub: 'alice', name: 'Alice' })}.signature`
  const inHours = Math.floor(Date.now() / 1000) + 36_000
  const session = { id_token: idToken, access_token: 'x'.repeat(32), token_type: 'Bearer', expires_at: inHours }
  Object.assign((req as unknown as { appSession: object }).appSession, session)
  res.sendStatus(200)
})
app.get('/page', connect.requiresAuth(), (_req, res) => res.send('Hello'))
ready({ url }, close)
