import { sendAgainAfter } from '../../challenge/push.ts'
import { early } from '../sign-in/push-again.ts'
import type { Page, StatusOf } from './page.ts'

/** How long before the end people are warned, so that there is time to ask for more (WCAG 2.2.1); seconds. */
const warnAt = 20

const headlines = (waiting: Page['layout']['words']['waiting']) => ({
  sign_in: waiting.signIn,
  step_up: waiting.stepUp,
  change_devices: waiting.changeDevices,
})

/** The device is being asked. */
export function waitingView({ layout, challenge, req, now }: Page, status: StatusOf<'waiting'>) {
  const { waiting } = layout.words
  const { number, expiresAt, createdAt } = status
  const left = expiresAt === undefined ? undefined : expiresAt - now
  const again = Math.max(0, createdAt + sendAgainAfter - now)
  return {
    ...layout,
    live: true,
    headline: headlines(waiting)[challenge.purpose],
    number,
    left,
    total: expiresAt === undefined ? undefined : expiresAt - createdAt,
    again,
    warnAt,
    news: newsOf(),
    canStop: true,
  }

  function newsOf(): string {
    if (again > 0 && early in req.query) return waiting.tooSoon
    return left !== undefined && left <= warnAt ? waiting.nearlyUp : ''
  }
}
