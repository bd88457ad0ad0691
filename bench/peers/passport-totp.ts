/** An Express app with express-session, Passport and passport-totp, as its documentation shows it. It stores no codes. */
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import type { Strategy } from 'passport'

import { listen, ready } from '../contenders/listen.ts'

/** The part of the package that is used here. It is installed only for the benchmark. */
interface PassportTotp {
  readonly Strategy: new (
    setup: (user: unknown, done: (error: unknown, key: Buffer, period: number) => void) => void,
  ) => Strategy
}

const name: string = 'passport-totp'
const { default: totp } = (await import(name)) as { default: PassportTotp }
const seed = Buffer.alloc(20, 7)

passport.serializeUser((user, done) => done(null, (user as { username: string }).username))
passport.deserializeUser((username: string, done) => done(null, { username }))
passport.use(new totp.Strategy((_user, done) => done(null, seed, 30)))
const form = express.urlencoded({ extended: false })

const app = express()
app.use(session({ secret: 'for a benchmark', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.post('/login', form, (req, res, next) => {
  const { username } = req.body as { username: string }
  req.logIn({ username }, (error) => (error ? next(error) : res.sendStatus(200)))
})
app.post('/second-step', form, passport.authenticate('totp', { session: true }), (req, res) => {
  Object.assign(req.session, { secondFactor: 'totp' })
  res.json({ state: 'approved' })
})

const { url, close } = await listen(app)
ready({ url, seed: seed.toString('hex') }, close)
