import type { Request, RequestHandler, Router } from 'express'
import { requireMfa } from 'second-factor'

import type { Account, Accounts } from './accounts.ts'
import { ChangePassword, emptyForm, readForm } from './forms.ts'
import type { Notices } from './notices.ts'
import type { FormattedTime, Pages, SecondStep } from './pages.ts'
import type { SessionStore } from './storage/session-store.ts'
import { accountOf } from './sign-in.ts'

/** In the danger zone, the second step must not be older than this, seconds. */
const maxAge = 300

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
    const recentActivity = notices
      .forUser(account.username)
      .map(({ at, sentence }) => ({ ...formatTime(at), sentence }))
    pages.send(res, 'account', { account, secondStep: secondStep(req), recentActivity })
  })

  const recent = requireMfa({ maxAge, purpose: 'change your password' })
  router.get('/danger-zone', requireSignIn, recent, (req, res) => {
    const changed = req.query['changed'] !== undefined
    pages.send(res, 'danger-zone', { ...emptyForm, secondStep: secondStep(req), changed })
  })

  router.post('/danger-zone', requireSignIn, recent, async (req, res) => {
    const form = readForm(ChangePassword, req.body)
    if (!form.values) {
      return pages.send(res, 'danger-zone', { ...form.state, secondStep: secondStep(req), changed: false }, 422)
    }
    const { id } = signedIn(req)
    await accounts.changePassword(id, form.values.password)
    // Someone who knew the old password may still be signed in elsewhere.
    store.endOthers(id, req.sessionID)
    res.redirect(303, '/danger-zone?changed')
  })
}

/** Redirects to the sign-in page, and from there back to the requested page. */
export const requireSignIn: RequestHandler = (req, res, next) => {
  if (accountOf(req)) return next()
  res.redirect(303, req.method === 'GET' ? `/sign-in?next=${encodeURIComponent(req.originalUrl)}` : '/sign-in')
}

function signedIn(req: Request): Account {
  const account = accountOf(req)
  if (!account) throw new Error('This route needs requireSignIn before it.')
  return account
}

const factors: Readonly<Record<string, string>> = {
  passkey: 'With a passkey',
  push: 'Approved on your device',
  otp: 'With a code',
  email: 'With a code from an e-mail',
  bypass: 'With a recovery code',
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

function secondStep(req: Request): SecondStep {
  const verified = req.mfa?.verified
  if (!verified) throw new Error('This route needs a passed second step: mount mfa() or requireMfa() before it.')
  return { how: factors[verified.factor] ?? verified.factor, ...formatTime(verified.at) }
}

/** @param at Unix time, seconds. */
function formatTime(at: number): FormattedTime {
  const date = new Date(at * 1000)
  return { at: time.format(date), iso: date.toISOString() }
}
