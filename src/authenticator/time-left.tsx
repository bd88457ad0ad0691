import type { DeviceRequest } from '../contract/device.ts'
import { Ring } from './ring.tsx'
import { useWords } from './words/speech.tsx'

/** The time left to answer a request. @param props.now The service's time, Unix time, seconds. */
export function TimeLeft({ request, now }: { readonly request: DeviceRequest; readonly now: number }) {
  const words = useWords()
  const whole = Math.max(1, request.expiresAt - request.createdAt)
  // A device's clock may be slow: never show more than the whole lifetime.
  const left = Math.min(whole, Math.max(0, request.expiresAt - now))
  return (
    <p class="time-left">
      <Ring share={left / whole} />
      <span role="timer">{words.timeLeft(left)}</span>
    </p>
  )
}
