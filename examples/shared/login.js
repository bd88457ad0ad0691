/** Stands for the login of your app, which stores the signed-in user in `req.session.user`. */
import express from 'express'

import { loginForm, page } from './page.js'
import { checkPassword } from './users.js'

export const login = express.Router()

login.get('/login', (req, res) => res.send(page('Sign in', loginForm)))

login.post('/login', express.urlencoded({ extended: false }), (req, res, next) => {
  const user = checkPassword(req.body.username, req.body.password)
  if (!user) return res.redirect(303, '/login')
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.user = user
    res.redirect(303, '/')
  })
})

export const logout = (req, res, next) => {
  req.session.destroy((error) => (error ? next(error) : res.redirect(303, '/login')))
}
login.post('/logout', logout)

/** Routes after this are only for signed-in users. */
login.use((req, res, next) => (req.session.user ? next() : res.redirect('/login')))
