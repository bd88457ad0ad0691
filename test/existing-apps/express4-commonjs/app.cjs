'use strict'
/** Express 4, CommonJS, callbacks: an app as many are, with a second factor added to it. */
const express = require('express4') // what `express` is where Express 4 is installed
const session = require('express-session')
const { mfa, requireMfa } = require('second-factor')

const passwords = { alice: 'correct horse battery' }

/** @param options what mfa() is to be given beside, such as its service. */
module.exports = function createApp(options) {
  const app = express()
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))
  app.use(
    mfa({
      user: (req) => req.session.user,
      provision: true,
      logoutPath: '/logout',
      ...options,
    }),
  )
  app.use(express.urlencoded({ extended: true }))

  app.get('/login', (req, res) => {
    res.send(page('Sign in', form('/login', `${field('Username', 'text')}${field('Password', 'password')}`)))
  })

  app.post('/login', (req, res, next) => {
    const { username, password } = req.body
    if (!Object.hasOwn(passwords, username) || passwords[username] !== password) return res.redirect('/login')
    req.session.regenerate((error) => {
      if (error) return next(error)
      req.session.user = { username, email: `${username}@example.com` }
      req.session.save((failed) => (failed ? next(failed) : res.redirect('/')))
    })
  })

  app.post('/logout', (req, res, next) => {
    req.session.destroy((error) => (error ? next(error) : res.redirect('/login')))
  })

  app.use((req, res, next) => {
    if (req.session.user) return next()
    res.redirect('/login')
  })

  app.get('/', (req, res) => res.send(page('Home', '')))
  app.get('/reports', (req, res) => res.send(page('Reports', form('/logout', '', 'Sign out'))))
  app.get('/transfer', requireMfa({ maxAge: 300 }), (req, res) => {
    res.send(page('Transfer', form('/logout', '', 'Sign out')))
  })
  return app
}

function page(title, body) {
  return `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}`
}

function form(action, fields, button = 'Sign in') {
  return `<form method="post" action="${action}">${fields}<button>${button}</button></form>`
}

function field(label, type) {
  return `<label>${label} <input name="${label.toLowerCase()}" type="${type}"></label>`
}

if (require.main === module) {
  const { embedded } = require('second-factor/service')
  module.exports({ service: embedded({ database: 'mfa.sqlite' }) }).listen(3000)
}
