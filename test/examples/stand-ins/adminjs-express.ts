/**
 * What the recipe uses of @adminjs/express: a router with a web session, a login and a logout of its own, whose API lists records with GET,
 * and deletes them with POST and HEAD.
 */
import express from 'express'
import type { Router } from 'express'
import session from 'express-session'
import type { SessionOptions } from 'express-session'

import type AdminJS from './adminjs.ts'

interface Login {
  readonly authenticate: (email: string, password: string) => { email: string } | null
  readonly cookieName: string
  readonly cookiePassword: string
}

export function buildAuthenticatedRouter(
  admin: AdminJS,
  { authenticate, cookieName, cookiePassword }: Login,
  formOptions: undefined,
  options: Partial<SessionOptions>,
): Router {
  if (formOptions !== undefined) throw new Error('This stand-in reads no options of forms.')
  const { rootPath, resources, assets } = admin.options
  const router = express.Router()
  router.use(session({ ...options, secret: cookiePassword, name: cookieName }))
  router.get('/login', (_, res) => void res.send(`<form method="post"></form>`))
  router.post('/login', express.urlencoded({ extended: false }), (req, res) => {
    const adminUser = authenticate(req.body.email, req.body.password)
    if (adminUser) Object.assign(req.session, { adminUser })
    req.session.save(() => res.redirect(303, adminUser ? rootPath : `${rootPath}/login`))
  })
  router.get('/logout', (req, res) => req.session.destroy(() => res.redirect(`${rootPath}/login`)))
  router.use((req, res, next) => ('adminUser' in req.session ? next() : res.redirect(`${rootPath}/login`)))
  const [resource] = resources
  router.get('/api/resources/notes/actions/list', (_, res, next) => {
    resource?.find().then((records) => res.json(records), next)
  })
  router.all('/api/resources/notes/records/:id/delete', (req, res, next) => {
    resource?.delete(req.params.id).then(() => res.sendStatus(200), next)
  })
  const scripts = assets.scripts.map((address) => `<script src="${address}"></script>`).join('')
  router.use((_, res) => void res.send(`<title>AdminJS</title>${scripts}`))
  return router
}
