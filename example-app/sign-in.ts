import type { Request, Response, Router } from 'express'
import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'

import { Account } from './accounts.ts'
import type { Accounts } from './accounts.ts'
import { emptyForm, readForm, SignUp, typedValues } from './forms.ts'
import { localPath } from './local-path.ts'
import type { Pages } from './pages.ts'

/** The signed-in account, by the app's own login alone. */
export function accountOf(req: Request): Account | undefined {
  return Account.optional().parse(req.user)
}

/** The app's own login: username and password. */
export function createLogin(accounts: Accounts) {
  const login = new passport.Passport()
  login.serializeUser((user, done) => done(null, Account.parse(user).id))
  login.deserializeUser((id: string, done) => done(null, accounts.find(id) ?? false))
  login.use(
    new LocalStrategy((username, password, done) => {
      accounts.verify(username, password).then((account) => done(null, account ?? false), done)
    }),
  )
  return login
}

export type Login = ReturnType<typeof createLogin>

export function addSignUp(router: Router, accounts: Accounts, pages: Pages): void {
  router.get('/sign-up', (_req, res) => pages.send(res, 'sign-up', emptyForm))

  router.post('/sign-up', async (req, res) => {
    const form = readForm(SignUp, req.body)
    if (!form.values) return pages.send(res, 'sign-up', form.state, 422)
    if (await accounts.create(form.values)) {
      return res.redirect(303, `/sign-in?created=${encodeURIComponent(form.values.username)}`)
    }
    const problems = { username: 'This username is taken. Choose another one.' }
    pages.send(res, 'sign-up', { values: typedValues(req.body), problems }, 409)
  })
}

export function addSignIn(router: Router, login: Login, pages: Pages): void {
  router.get('/sign-in', (req, res) => {
    if (accountOf(req)) return res.redirect(303, '/account')
    const { created } = req.query
    const values = typeof created === 'string' ? { username: created } : {}
    const next = localPath(req.query['next'], '/account')
    pages.send(res, 'sign-in', { values, problems: {}, next, created: typeof created === 'string' })
  })

  router.post('/sign-in', (req, res, next) => {
    const authenticate = login.authenticate('local', (error: unknown, account: Account | false | undefined) => {
      if (error) return next(error)
      if (!account) return rejectSignIn(req, res, pages)
      req.login(account, (failure) => (failure ? next(failure) : res.redirect(303, nextPath(req))))
    })
    authenticate(req, res, next)
  })
}

export function addSignOut(router: Router): void {
  router.post('/logout', (req, res, next) => {
    req.logout((error) => (error ? next(error) : res.redirect(303, '/')))
  })
}

/** Shows the same message for a wrong username and a wrong password. */
function rejectSignIn(req: Request, res: Response, pages: Pages): void {
  const problems = { password: 'Username and password don’t match. Check both.' }
  pages.send(res, 'sign-in', { values: typedValues(req.body), problems, next: nextPath(req), created: false }, 401)
}

/** The page that was requested before signing in. */
function nextPath(req: Request): string {
  return localPath(typedValues(req.body)['next'], '/account')
}
