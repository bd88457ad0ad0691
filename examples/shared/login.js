/** Stands for the login that your app has already: it keeps who is signed in in `req.session.user`. */
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

/** Everything after this is for people who are signed in. */
login.use((req, res, next) => (req.session.user ? next() : res.redirect('/login')))
