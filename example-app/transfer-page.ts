import type { Request, RequestHandler, Router } from 'express'
import { requireApproval } from 'second-factor'

import { requireSignIn } from './account-pages.ts'
import { emptyForm, readForm, Transfer } from './forms.ts'
import type { Pages } from './pages.ts'

const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })

/** "Send money": the app carries out a transfer only after its user has approved exactly this one. */
export function addTransferPage(router: Router, pages: Pages): void {
  router.get('/transfer', requireSignIn, (_req, res) => pages.send(res, 'transfer', { ...emptyForm, sent: undefined }))

  // Checked first: nobody is asked to approve what cannot be carried out.
  const checkForm: RequestHandler = (req, res, next) => {
    const form = readForm(Transfer, req.body)
    if (form.values) return next()
    pages.send(res, 'transfer', { ...form.state, sent: undefined }, 422)
  }

  const approved = requireApproval((req) => {
    const { to, amount } = shownTransfer(req)
    return {
      title: `Send ${amount}`,
      details: [
        { label: 'To', value: to },
        { label: 'Amount', value: amount },
      ],
    }
  })

  router.post('/transfer', requireSignIn, checkForm, approved, (req, res) => {
    // A real bank stores req.mfa.approval.id with the transfer, which then exists once, and the proof.
    pages.send(res, 'transfer', { ...emptyForm, sent: shownTransfer(req) })
  })
}

function shownTransfer(req: Request): { to: string; amount: string } {
  const { to, amount } = Transfer.parse(req.body)
  return { to, amount: euros.format(amount) }
}
