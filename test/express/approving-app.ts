import { createHash } from 'node:crypto'

import express from 'express'
import type { RequestHandler } from 'express'
import { ApprovalRequiredError, requireApproval } from 'second-factor'
import type { MfaEvent, MfaOptions } from 'second-factor'
import { createClient } from 'second-factor/client'

import type { ApprovalDecision } from '../../src/contract/approval-facts.ts'
import type { Account } from '../../src/device/index.ts'
import { answerApproval, inboxOf } from '../support/approving-device.ts'
import type { Browser } from '../support/browser.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

/** One action that the app has carried out. */
export interface Run {
  readonly id: string | undefined
  readonly path: string
  readonly body: unknown
}

export interface BankOptions extends Pick<WebAppOptions, 'service'> {
  readonly mfa?: Partial<MfaOptions>
  /** What stands before `requireApproval()` on `/transfer`. */
  readonly before?: readonly RequestHandler[]
  readonly parse?: RequestHandler
  /** What the app does before anything else. */
  readonly first?: readonly RequestHandler[]
  /** What it does between its login and mfa(). */
  readonly beforeMfa?: readonly RequestHandler[]
  /** Another Express than the newest. */
  readonly express?: typeof express
}

/** An app in which money is sent only after an approval. */
export async function startBank({ mfa = {}, before = [], parse, first = [], ...other }: BankOptions = {}) {
  const runs: Run[] = []
  const events: MfaEvent[] = []
  /** What the content is computed from, beside the request. */
  const rate = { text: '1.10' }
  const run: RequestHandler = (req, res) => {
    runs.push({ id: req.mfa?.approval?.id, path: req.originalUrl, body: req.body as unknown })
    res.send(`sent ${req.mfa?.approval?.title ?? ''}`)
  }
  const transfer = requireApproval(({ body }) => ({
    title: `Transfer ${body?.amount ?? 'nothing'}`,
    details: [
      { label: 'To', value: String(body?.to ?? 'nobody') },
      { label: 'Rate', value: rate.text },
    ],
  }))
  const app = await startWebApp({
    ...other,
    before: first,
    mfa: { onEvent: (event) => void events.push(event), ...mfa },
    routes(routes) {
      const form = parse ?? express.urlencoded({ extended: true, limit: '1mb' })
      routes.post('/transfer', form, express.json({ limit: '1mb' }), ...before, transfer, run)
      routes.put('/transfer', form, express.json(), transfer, run)
      routes.get(
        '/pay/:whom',
        requireApproval(() => ({ title: 'Pay' })),
        run,
      )
      routes.post('/unparsed', transfer, run)
      routes.post('/form-only', form, transfer, run)
      routes.post('/upload', (req, res, next) => {
        const digest = createHash('sha256').update(req.originalUrl).digest('hex')
        req.mfa
          ?.approve({ title: 'Upload', bind: { digest } })
          .then(({ id }) => {
            runs.push({ id, path: req.originalUrl, body: digest })
            return res.send('uploaded')
          })
          .catch((error: unknown) => {
            if (error instanceof ApprovalRequiredError) return res.status(error.status).json(error.body)
            return next(error)
          })
      })
    },
  })
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })

  /** The requests to approve that the device shows. */
  const waiting = async (account: Account) => (await inboxOf(app.clock, account)).approvals ?? []

  /** Answers the newest one, with the number of the page. */
  async function answer(account: Account, decision: ApprovalDecision, number?: string) {
    const [approval] = await waiting(account)
    if (!approval) throw new Error('no approval is pending')
    return answerApproval(app.clock, account, approval, { decision, number })
  }

  /** Someone who has passed the second step, with a device. */
  async function signedIn(username = 'alice') {
    const browser = app.browser()
    const account = await app.verify(browser, username)
    return { browser, account }
  }

  return { ...app, runs, events, rate, client, domainId, answer, answerSignIn: app.answer, waiting, signedIn }
}

export type Bank = Awaited<ReturnType<typeof startBank>>

/** Posts data as a script of the app's own page does. */
export function postJson(
  browser: Browser,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
  write = (text: string) => text,
) {
  return browser.send(
    method,
    path,
    { ...ofScript, 'content-type': 'application/json', ...headers },
    write(JSON.stringify(body)),
  )
}

const ofScript = { accept: 'application/json', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }

/** The hidden fields with which a page sends the form again. */
export function fieldsOn(page: { text: string }): [string, string][] {
  const [, form = ''] = /<form[^>]* id="repeat"[^>]*>([\s\S]*?)<\/form>/.exec(page.text) ?? []
  return [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']) => [unescaped(name), unescaped(value)],
  )
}

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

export const headlineOf = (page: { text: string }) => /<h1[^>]*>([^<]*)</.exec(page.text)?.[1]

export { numberOn }
