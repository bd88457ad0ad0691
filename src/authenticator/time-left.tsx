import type { DeviceRequest } from '../contract/device.ts'
import { Ring } from './ring.tsx'
import { useWords } from './words/speech.tsx'

/** How long a request can still be answered. @param props.now Unix time at the service, seconds. */
export function TimeLeft({ request, now }: { readonly request: DeviceRequest; readonly now: number }) {
  const words = useWords()
  const whole = Math.max(1, request.expiresAt - request.createdAt)
  // A device's clock may be a little slow: there is never more left than there was.
  const left = Math.min(whole, Math.max(0, request.expiresAt - now))
  return (
    <p class="time-left">
      <Ring share={left / whole} />
      <span role="timer">{words.timeLeft(left)}</span>
    </p>
  )
}
