import type { DeviceRequest } from '../contract/device.ts'
import { messages } from './messages.ts'

const radius = 10
const around = 2 * Math.PI * radius

/** A quiet ring, and the words that say the same. @param props.now Unix time at the service, seconds. */
export function TimeLeft({ request, now }: { readonly request: DeviceRequest; readonly now: number }) {
  const whole = Math.max(1, request.expiresAt - request.createdAt)
  // A device's clock may be a little slow: there is never more left than there was.
  const left = Math.min(whole, Math.max(0, request.expiresAt - now))
  return (
    <p class="time-left">
      <svg class="ring" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <circle class="track" cx="12" cy="12" r={radius} />
        <circle
          class="rest"
          cx="12"
          cy="12"
          r={radius}
          stroke-dasharray={around}
          stroke-dashoffset={around * (1 - left / whole)}
        />
      </svg>
      <span role="timer">{messages.timeLeft(left)}</span>
    </p>
  )
}
