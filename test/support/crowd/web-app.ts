/** A web app with `mfa()`, in a process of its own; its people sign in by name. It is told where its service is. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import express from 'express'
import session from 'express-session'
import { isVerified, mfa } from 'second-factor'

export interface WebAppGiven {
  readonly service: { readonly baseUrl: string; readonly apiKey: string; readonly domainId: string }
  /** Of mfa(), milliseconds. */
  readonly timeout?: number | undefined
  /** Whether people come to a name, as passkeys need it. */
  readonly passkeys?: boolean
}

declare module 'express-session' {
  interface SessionData {
    username: string
  }
}

// The process that started this one may be killed.
process.once('disconnect', () => process.exit())
const [{ service, timeout, passkeys = false }] = (await once(process, 'message')) as [WebAppGiven]
const say = (message: string) => void process.stderr.write(`${message}\n`)
const app = express()
app.use(session({ secret: 'for a measurement', resave: false, saveUninitialized: false }))
app.post('/login', express.urlencoded({ extended: false }), (req, res) => {
  req.session.username = (req.body as { username: string }).username
  res.redirect(303, '/mfa')
})
const server = app.listen(0, '127.0.0.1', 4_096)
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const url = `http://${passkeys ? 'localhost' : '127.0.0.1'}:${port}`
app.use(
  mfa({
    service,
    ...(passkeys && { publicUrl: url, provision: true }),
    authenticatorUrl: 'https://mfa.example',
    ...(timeout !== undefined && { timeout }),
    user: (req) => {
      const { username } = (req as express.Request).session
      return username === undefined ? null : { username }
    },
    recoveryCodes: false,
    logger: { info() {}, warn: say, error: say },
  }),
)
app.get('/', (req, res) => void res.json({ verified: isVerified(req) }))
process.send?.({ url })
