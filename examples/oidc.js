/**
 * An OpenID provider: apps that speak OpenID Connect send people here, who sign in with their passkey, or confirm with a second step a
 * login that another provider has checked. Register a client first, in the folder of the database, while this example runs:
 *
 *   npx second-factor oidc client add Wiki --domain 'My app' --kind sign-in --redirect-uri https://wiki.example/callback --database mfa.sqlite
 *
 * Then give the client the issuer that this example prints, its client id and its secret.
 */
import express from 'express'
import { oidc } from 'second-factor/oidc'
import { embedded } from 'second-factor/service'

import { page } from './shared/page.js'
import { start } from './shared/start.js'

const port = process.env.PORT ?? '3000'
const issuer = process.env.ISSUER ?? `http://localhost:${port}`
const service = embedded({ database: 'mfa.sqlite' })

const app = express()
// Before the web sessions of your app, if it has any: the provider has its own.
app.use(oidc({ service, issuer }))
app.get('/', (req, res) => {
  res.send(
    page('OpenID provider', `<p>Its metadata is at <a href="/.well-known/openid-configuration">${issuer}</a>.</p>`),
  )
})

start(app, `Its issuer is ${issuer}`)
