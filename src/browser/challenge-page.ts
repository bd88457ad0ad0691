/**
 * Updates the challenge page at once. Without JavaScript the page reloads every few seconds instead. This script decides nothing:
 * it only asks the server again.
 */
import { complete } from './complete.ts'
import { forgetLeaving } from './leaving.ts'
import { followChanges } from './follow-changes.ts'
import { showClockTimes } from './clock-time.ts'
import { notePasskeySupport } from './passkey-support.ts'
import { saveChoice } from './remember.ts'
import { showTimeLeft, showWaits } from './time-left.ts'
import { whenOnline } from './when-online.ts'

const page = document.querySelector<HTMLElement>('main[data-base]')
if (page) run(page)

function run(main: HTMLElement): void {
  const base = main.dataset['base'] ?? '/mfa'
  forgetLeaving()
  tellTimeZone(base)
  showTimeLeft()
  showWaits()
  showClockTimes()
  showOffline()
  offerPrint()
  offerCopy()
  guardDoubleClick()
  submitPastedCode()
  saveChoice()
  void notePasskeySupport()
  loadLater(main)
  if ('settled' in main.dataset) void complete(base)
  const follows = 'live' in main.dataset && !('settled' in main.dataset)
  // With the token of the page, because another tab may have opened another challenge.
  const address = (path: string) => `${base}/${path}?page=${main.dataset['token']}`
  const stop = follows ? followChanges(address, (change) => void changed(main, base, change)) : () => {}
  stopOnSubmit(stop)
  reloadWhenRestored(stop)
}

/** The key of this browser, which is needed only once the person has approved. */
function loadLater({ dataset: { later } }: HTMLElement): void {
  if (later) setTimeout(() => void import(/* @vite-ignore */ later).catch(() => {}), 500)
}

async function changed(main: HTMLElement, base: string, change: string): Promise<void> {
  const repeat = document.getElementById('repeat')
  if (repeat) return sendAgain(repeat)
  if (change === 'settled') return complete(base, 'typing' in main.dataset)
  return reload()
}

/**
 * Sends the request again that waited for an approval. Fields of the app may have the names of members of the form, such as `submit`.
 */
async function sendAgain(repeat: HTMLElement): Promise<void> {
  await whenOnline()
  if (repeat instanceof HTMLAnchorElement) return location.replace(repeat.href)
  HTMLFormElement.prototype.submit.call(repeat)
}

async function reload(): Promise<void> {
  await whenOnline()
  location.reload()
}

/** A form leads to its own next page, which a change must not interrupt. */
function stopOnSubmit(stop: () => void): void {
  addEventListener('submit', (event) => {
    if (!event.defaultPrevented) stop()
  })
}

/**
 * Sends with our own forms where the clock of this browser is, for the times in mails. A form of the app that is sent again stays as it is,
 * and its fields can have the names of members of the form.
 */
function tellTimeZone(base: string): void {
  addEventListener('formdata', ({ target, formData }) => {
    const form = target as HTMLFormElement
    const [id, method, action] = ['id', 'method', 'action'].map((name) => form.getAttribute(name))
    const isOurs = id !== 'repeat' && method === 'post' && action?.startsWith(`${base}/`)
    if (isOurs) formData.set('timeZone', Intl.DateTimeFormat().resolvedOptions().timeZone)
  })
}

/** While the browser is offline, the headline says so, and the time that the page cannot know stands still. */
function showOffline(): void {
  const note = document.getElementById('offline')
  const headline = document.querySelector('h1')
  if (!note || !headline) return
  const usual = headline.textContent
  const update = () => {
    const { headline: offline = '', words = '' } = note.dataset
    headline.textContent = navigator.onLine ? usual : offline
    note.textContent = navigator.onLine ? '' : words
  }
  addEventListener('online', update)
  addEventListener('offline', update)
  update()
}

/** Shows the print button; without JavaScript users print with the menu of the browser. */
function offerPrint(): void {
  const button = document.getElementById('print')
  if (!button) return
  button.hidden = false
  button.addEventListener('click', () => print())
}

/** Copies the number, for a device that is this one. Only a page that came over https, or from this machine, may. */
function offerCopy(): void {
  const button = document.getElementById('copy')
  const { clipboard } = navigator as Partial<Navigator>
  if (!button || !clipboard) return
  button.hidden = false
  button.addEventListener('click', () => {
    const number = document.getElementById('number')?.textContent ?? ''
    void clipboard.writeText(number).then(() => (button.textContent = button.dataset['copied'] ?? ''))
  })
}

/**
 * Submits a code that arrives all at once, pasted or filled in by the browser. A code that is typed is never submitted before
 * its user says so: there are longer and shorter ones.
 */
function submitPastedCode(): void {
  const field = document.querySelector<HTMLInputElement>('form[action$="/code"] #code')
  let before = 0
  field?.addEventListener('input', () => {
    const digits = field.value.match(/\p{Nd}/gu)?.length ?? 0
    if (digits - before >= 6) field.form?.requestSubmit()
    before = digits
  })
}

/** A second click must not send a second request. Later it may: the person has stopped the browser, which waited for an answer. */
function guardDoubleClick(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form:not([data-again])')) {
    let sentAt = -Infinity
    form.addEventListener('submit', (event) => {
      if (Date.now() - sentAt < 10_000) event.preventDefault()
      else sentAt = Date.now()
    })
  }
}

/** A page from the page cache may be out of date. Stops following first, so that a change does not interrupt the reload. */
function reloadWhenRestored(stop: () => void): void {
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return
    stop()
    void reload()
  })
}
