import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'
import type { Response } from 'express'

import type { Account } from './accounts.ts'
import type { FormState } from './forms.ts'

/** The data of each template in views/. */
interface PageData {
  home: { account: Account | undefined }
  'sign-up': FormState
  'sign-in': FormState & { next: string; created: boolean }
  account: {
    account: Account
    secondStep: SecondStep
    recentActivity: readonly (FormattedTime & { readonly sentence: string })[]
  }
  'danger-zone': FormState & { secondStep: SecondStep; changed: boolean }
  transfer: FormState & { sent: { to: string; amount: string } | undefined }
  problem: { headline: string; sentence: string }
  trust: { name: string; publicUrl: string }
}

/** A time as text. */
export interface FormattedTime {
  readonly at: string
  /** The value of HTML's `datetime` attribute. */
  readonly iso: string
}

/** The time and the means of the second step. */
export interface SecondStep extends FormattedTime {
  readonly how: string
}

export type Pages = ReturnType<typeof createPages>

/** The app's pages run no scripts, load nothing from other origins and cannot be framed. */
const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Not `no-referrer`: browsers would send forms with `Origin: null`.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

export function createPages() {
  const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)), cache: true })

  function send<View extends keyof PageData>(res: Response, view: View, data: PageData[View], status = 200): void {
    res.status(status).set(headers).type('html').send(eta.render(view, data))
  }

  return {
    send,
    problem(res: Response, status: number, headline: string, sentence: string): void {
      send(res, 'problem', { headline, sentence }, status)
    },
  }
}
