import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'
import type { Response } from 'express'

import type { Account } from './accounts.ts'
import type { FormState } from './forms.ts'

/** What each template of views/ is given. */
interface PageData {
  home: { account: Account | undefined }
  'sign-up': FormState
  'sign-in': FormState & { next: string; created: boolean }
  account: { account: Account; passed: Passed; lately: readonly (Moment & { readonly sentence: string })[] }
  'danger-zone': FormState & { passed: Passed; changed: boolean }
  problem: { headline: string; sentence: string }
  trust: { name: string; publicUrl: string }
}

/** A time, in words. */
export interface Moment {
  readonly at: string
  /** For machines, as HTML's `datetime` wants it. */
  readonly iso: string
}

/** When and how the second step was passed. */
export interface Passed extends Moment {
  readonly how: string
}

export type Pages = ReturnType<typeof createPages>

/** Own pages run no script at all, load nothing from elsewhere and stand in no frame. */
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
