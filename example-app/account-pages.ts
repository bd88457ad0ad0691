import type { Request, RequestHandler, Router } from 'express'
import { requireMfa } from 'second-factor'

import type { Account, Accounts } from './accounts.ts'
import { ChangePassword, emptyForm, readForm } from './forms.ts'
import type { Notices } from './notices.ts'
import type { Moment, Pages, Passed } from './pages.ts'
import type { SessionStore } from './session-store.ts'
import { accountOf } from './sign-in.ts'

/** How long ago the second step may have been passed in the danger zone, seconds. */
const recent = 300

interface AccountPages {
  readonly accounts: Accounts
  readonly notices: Notices
  readonly store: SessionStore
  readonly pages: Pages
}

export function addAccountPages(router: Router, { accounts, notices, store, pages }: AccountPages): void {
  router.get('/', (req, res) => pages.send(res, 'home', { account: accountOf(req) }))

  router.get('/account', requireSignIn, (req, res) => {
    const account = signedIn(req)
    const lately = notices.of(account.username).map(({ at, sentence }) => ({ ...moment(at), sentence }))
    pages.send(res, 'account', { account, passed: passedStep(req), lately })
  })

  router.get('/danger-zone', requireSignIn, requireMfa({ maxAge: recent }), (req, res) => {
    const changed = req.query['changed'] !== undefined
    pages.send(res, 'danger-zone', { ...emptyForm, passed: passedStep(req), changed })
  })

  router.post('/danger-zone', requireSignIn, requireMfa({ maxAge: recent }), async (req, res) => {
    const form = readForm(ChangePassword, req.body)
    if (!form.good) {
      return pages.send(res, 'danger-zone', { ...form.state, passed: passedStep(req), changed: false }, 422)
    }
    const { id } = signedIn(req)
    await accounts.changePassword(id, form.good.password)
    // Whoever knew the old password may be signed in somewhere.
    store.endOthers(id, req.sessionID)
    res.redirect(303, '/danger-zone?changed')
  })
}

/** Sends people who are not signed in to do that first, and remembers where they wanted to go. */
const requireSignIn: RequestHandler = (req, res, next) => {
  if (accountOf(req)) return next()
  res.redirect(303, req.method === 'GET' ? `/sign-in?next=${encodeURIComponent(req.originalUrl)}` : '/sign-in')
}

function signedIn(req: Request): Account {
  const account = accountOf(req)
  if (!account) throw new Error('a route for signed-in people needs requireSignIn before it')
  return account
}

const factors: Readonly<Record<string, string>> = {
  push: 'Approved on your device',
  otp: 'By a code',
  email: 'By a code sent by e-mail',
  bypass: 'By a recovery code',
}

const time = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

function passedStep(req: Request): Passed {
  const verified = req.mfa?.verified
  if (!verified) throw new Error('a route that speaks of the second step needs requireMfa() before it')
  return { how: factors[verified.factor] ?? verified.factor, ...moment(verified.at) }
}

/** @param at Unix time, seconds. */
function moment(at: number): Moment {
  const date = new Date(at * 1000)
  return { at: time.format(date), iso: date.toISOString() }
}
