/** A minimal OAuth 2 provider (RFC 6749, section 4.1), which signs every user in as Alice without asking. */
import { randomUUID } from 'node:crypto'

import express from 'express'

/** @returns its address. */
export function startProvider() {
  const codes = new Set()
  const provider = express()
  provider.get('/authorize', (req, res) => {
    const code = randomUUID()
    codes.add(code)
    const back = new URL(req.query.redirect_uri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', req.query.state)
    res.redirect(back.href)
  })
  provider.post('/token', express.urlencoded({ extended: false }), (req, res) => {
    const known = codes.delete(req.body.code)
    res.status(known ? 200 : 400).json(known ? { access_token: 'alice', token_type: 'bearer' } : {})
  })
  return new Promise((resolve) => {
    const server = provider.listen(0, 'localhost', () => resolve(`http://localhost:${server.address().port}`))
  })
}
