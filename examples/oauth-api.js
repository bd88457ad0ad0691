/**
 * An API with OAuth access tokens. Its issuer signs users in; the API asks for a stronger or more recent sign-in where an action needs it
 * (RFC 9470). `single-page-app/with-oauth.js` is the code of a page that calls it.
 *
 * ISSUER and AUDIENCE name your authorization server and this API there. Without ISSUER, a stand-in signs two tokens, which are printed.
 */
import express from 'express'
import { requireMfa, verifiedBearer } from 'second-factor'
import { startTestIssuer } from 'second-factor/testing'

import { start } from './shared/start.js'

const { ISSUER, AUDIENCE = 'https://api.example', PAGE = 'http://localhost:5173' } = process.env
const standIn = ISSUER === undefined ? await startTestIssuer() : undefined

// One object for all routes: they share the keys of the issuer.
const bearer = { issuer: ISSUER ?? standIn.issuer, audience: AUDIENCE }
const app = express()

// Before the guards, because a preflight has no token. The page can read the challenge only where the header is exposed.
app.use((req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': PAGE,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Expose-Headers': 'WWW-Authenticate',
  })
  return req.method === 'OPTIONS' ? res.sendStatus(204) : next()
})

app.get('/accounts', requireMfa({ bearer, acr: ['mfa', 'phr'] }), (req, res) => {
  res.json({ accounts: [], of: req.mfa.bearer.subject })
})
app.post('/transfers', requireMfa({ bearer, acr: ['phr'], maxAge: 300 }), (req, res) => {
  if (!req.mfa.bearer.scopes.includes('pay')) {
    return res.status(403).set('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="pay"').end()
  }
  return res.json({ by: req.mfa.bearer.subject })
})

// Only large orders need a passkey, so the handler decides.
app.post('/orders', requireMfa({ bearer, acr: ['mfa', 'phr'] }), express.json(), (req, res) => {
  const { subject } = verifiedBearer(req, req.body.total > 1000 ? { acr: ['phr'], maxAge: 300 } : {})
  res.json({ by: subject })
})

start(app, standIn && (await tokens()))

async function tokens() {
  const claims = { aud: AUDIENCE, scope: 'pay' }
  const byPhone = await standIn.token({ ...claims, acr: 'mfa' })
  const byPasskey = await standIn.token({ ...claims, acr: 'phr' })
  return `A token of a sign-in by phone: ${byPhone}\nA token of a sign-in by passkey: ${byPasskey}`
}
