/**
 * Passkeys on the pages of the second step: at most one ceremony of the browser at a time. A script of its own, because most
 * pages need none of it.
 */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'

import { browserKey } from './offered-key.ts'
import { pageToken } from './page-token.ts'

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

/** The ceremony that runs without a press, until it has ended. */
let unasked: Promise<unknown> = Promise.resolve()

/** After a press, no ceremony starts without one: it could wait for the user for ever, and the press would wait for it. */
let isPressed = false

offerPasskey()
offerNewPasskey()
suggestPasskeys()
signalPasskeys()

/** A page on which users pass with a passkey. The dialog of the browser opens by itself once for each challenge. */
function offerPasskey(): void {
  const button = document.getElementById('passkey')
  if (!(button instanceof HTMLButtonElement)) return
  if (!browserSupportsWebAuthn()) return say('unsupported')
  button.hidden = false
  button.addEventListener('click', () => void onlyOnce(button, () => usePasskey(button)))
  if (opensByItself(button)) button.click()
}

/** The field for codes suggests passkeys as well, where the browser can do that. */
function suggestPasskeys(): void {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete$=webauthn]')
  if (field) unasked = waitInField(field).catch(() => {})
}

/** A page on which users add a passkey. */
function offerNewPasskey(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-new-passkey]')
  const button = form?.querySelector('button')
  if (!form || !button) return
  if (!browserSupportsWebAuthn()) return say('unsupported')
  button.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void onlyOnce(button, () => addPasskey(form))
  })
  // Where other ways are offered beside it, nothing is added before the user has chosen.
  if (form.dataset['newPasskey'] !== 'chosen') unasked = addUnasked(form).catch(() => {})
}

/** Tells the password manager which passkeys are left, and what the account is called. */
function signalPasskeys(): void {
  const { signal } = document.querySelector<HTMLElement>('[data-signal]')?.dataset ?? {}
  if (signal === undefined || !browserSupportsWebAuthn()) return
  const { accepted, details } = JSON.parse(signal) as Record<'accepted' | 'details', object>
  const signals = PublicKeyCredential as unknown as Partial<Record<string, (options: object) => Promise<void>>>
  void signals['signalAllAcceptedCredentials']?.(accepted).catch(() => {})
  void signals['signalCurrentUserDetails']?.(details).catch(() => {})
}

async function usePasskey({ dataset }: HTMLElement): Promise<void> {
  const base = dataset['base'] ?? ''
  const optionsJSON = await ask<RequestOptions>(`${base}/passkey/options`)
  if (!optionsJSON) return
  const response = await startAuthentication({ optionsJSON })
  await send(`${base}/passkey`, { response: JSON.stringify(response), ...browserKey() })
}

async function waitInField(field: HTMLInputElement): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return
  const base = field.dataset['base'] ?? ''
  const optionsJSON = await post<RequestOptions>(`${base}/passkey/options`)
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: true })
  await send(`${base}/passkey`, { response: JSON.stringify(response), ...browserKey() })
}

async function addPasskey(form: HTMLFormElement): Promise<void> {
  const optionsJSON = await ask<CreationOptions>(`${form.action}/options`)
  if (optionsJSON) await store(form, await startRegistration({ optionsJSON }))
}

/** Where the password manager has just filled in the password, it can add a passkey without asking (WebAuthn, conditional create). */
async function addUnasked(form: HTMLFormElement): Promise<void> {
  const { conditionalCreate } = (await PublicKeyCredential.getClientCapabilities?.()) ?? {}
  if (!conditionalCreate) return
  const optionsJSON = await post<CreationOptions>(`${form.action}/options`)
  if (isPressed) return
  const response = await startRegistration({ optionsJSON, useAutoRegister: true })
  await store(form, response, { conditional: 'yes' })
}

function store(form: HTMLFormElement, response: object, more: Record<string, string> = {}): Promise<void> {
  const name = form.querySelector<HTMLInputElement>('[name=name]')?.value ?? ''
  return send(form.action, { name, response: JSON.stringify(response), ...more })
}

/** Runs the ceremony of a press. A second press before it has ended does nothing. */
async function onlyOnce(button: HTMLButtonElement, ceremony: () => Promise<void>): Promise<void> {
  if (button.disabled) return
  button.disabled = true
  isPressed = true
  // Two ceremonies at once fail, and one that was aborted has not ended yet.
  WebAuthnAbortService.cancelCeremony()
  await unasked
  say('none')
  try {
    await ceremony()
  } catch (error) {
    say(isPresent(error) ? 'present' : 'canceled')
  } finally {
    button.disabled = false
    button.focus()
  }
}

/** Whether the device has a passkey of this user already (WebAuthn Level 3 section 5.1.3, `excludeCredentials`). */
const isPresent = (error: unknown): boolean => error instanceof Error && error.name === 'InvalidStateError'

function opensByItself({ dataset }: HTMLElement): boolean {
  const { challenge } = dataset
  if (challenge === undefined || !document.hasFocus()) return false
  try {
    if (sessionStorage.getItem(opened) === challenge) return false
    sessionStorage.setItem(opened, challenge)
    return true
  } catch {
    // Without storage it could open again with each reload.
    return false
  }
}

/** The key of the challenge for which the dialog has opened by itself. */
const opened = 'mfa-passkey'

/** Posts, and shows what the server says if it does not succeed. */
async function ask<T>(url: string, fields: Record<string, string> = {}): Promise<T | undefined> {
  try {
    return await post<T>(url, fields)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    show(error.message)
    return undefined
  }
}

/** The server did not succeed; the message is for users. */
class Refusal extends Error {}

/** @throws {Refusal} */
async function post<T>(url: string, fields: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ ...fields, page: pageToken() }),
    credentials: 'same-origin',
  })
  const body = (await answer.json()) as T & { readonly message?: string; readonly error?: string }
  // The second step for this page is too long ago: loading the page asks for it again.
  if (body.error === 'mfa_required') location.reload()
  if (!answer.ok) throw new Refusal(body.message)
  return body
}

/** Posts, and continues where the server says. */
async function send(url: string, fields: Record<string, string>): Promise<void> {
  const next = await ask<{ location?: string }>(url, fields)
  if (next?.location !== undefined) location.replace(next.location)
}

/** Shows one of the texts that the page brings along. */
function say(text: 'unsupported' | 'canceled' | 'present' | 'none'): void {
  show(document.getElementById('passkey-news')?.dataset[text] ?? '')
}

function show(text: string): void {
  const notice = document.getElementById('passkey-news')
  if (notice) notice.textContent = text
}
