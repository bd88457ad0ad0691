import { sendAgainAfter } from '../../challenge/push.ts'
import { scanCodeText } from '../../contract/scan-code.ts'
import { requestLink } from './link.ts'
import { qrSvg } from './qr-svg.ts'
import { stepUpHeadline } from './status-view.ts'
import type { StatusPage, StatusOf } from './status-view.ts'

/** Marks the address of the page when the user wanted to send another request too soon. */
export const tooEarly = 'early'

/** How long before the end users are warned, so that they have time to send another request (WCAG 2.2.1); seconds. */
const warnAt = 20

const headlines = (page: StatusPage) => {
  const { signIn, stepUp, changeDevices } = page.layout.words.waiting
  return { sign_in: signIn, step_up: stepUpHeadline(page) ?? stepUp, change_devices: changeDevices }
}

/** The button that ends the challenge, by its purpose. */
export const cancelWords = (page: StatusPage) => {
  const { stop, stopStepUp, stopChange } = page.layout.words.waiting
  return { sign_in: stop, step_up: stopStepUp, change_devices: stopChange }
}

/** A push request waits for its answer. */
export function waitingView(page: StatusPage, status: StatusOf<'waiting'>) {
  const { layout, challenge, service, query, now } = page
  const { waiting } = layout.words
  const { number, expiresAt, createdAt } = status
  const secondsLeft = expiresAt === undefined ? undefined : expiresAt - now
  const secondsUntilResend = Math.max(0, createdAt + sendAgainAfter - now)
  return {
    ...layout,
    live: true,
    // It is ready by the time the person has approved.
    later: service.knowsBrowsers && !challenge.browserProof ? layout.browserKeyScript : undefined,
    headline: headlines(page)[challenge.purpose],
    number,
    scanCode: scanCode(),
    qrSvg,
    request: requestOf(),
    link: requestLink(page, service, challenge.sessionId),
    left: secondsLeft,
    total: expiresAt === undefined ? undefined : expiresAt - createdAt,
    again: secondsUntilResend,
    warnAt,
    news: newsOf(),
    cancel: cancelWords(page)[challenge.purpose],
  }

  /** The code that our own authenticator reads in place of the number. */
  function scanCode() {
    const { sessionId, scanSecret: secret } = challenge
    if (number === undefined || sessionId === undefined || secret === undefined) return undefined
    return scanCodeText({ sessionId, secret })
  }

  /** The sentence before and after the name of the device. */
  function requestOf() {
    const words = number === undefined ? waiting.withoutNumber : waiting.withNumber
    const { deviceName } = challenge
    if (!deviceName) return { before: words(waiting.yourDevice) }
    const [before = '', after = ''] = words('{device}').split('{device}')
    return { before, deviceName, after }
  }

  function newsOf(): string {
    if (secondsUntilResend > 0 && query.has(tooEarly)) return waiting.tooSoon
    return secondsLeft !== undefined && secondsLeft <= warnAt ? waiting.nearlyUp : ''
  }
}
