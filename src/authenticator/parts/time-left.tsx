import type { DeviceRequest } from '../../contract/device-answers.ts'
import { Ring } from './ring.tsx'
import { useWords } from '../words/speech.tsx'

type Period = Pick<DeviceRequest, 'createdAt' | 'expiresAt'>

/** The time left to answer a request. @param props.now The service's time, Unix time, seconds. */
export function TimeLeft({ request, now }: { readonly request: Period; readonly now: number }) {
  const words = useWords()
  const total = lifetime(request)
  const remaining = secondsLeft(request, now)
  return (
    <p class="time-left">
      <Ring share={remaining / total} />
      <span role="timer" dir="ltr" aria-label={words.timeLeft(remaining)}>
        {minutesAndSeconds(remaining)}
      </span>
    </p>
  )
}

/** Formats a time such as 1:18, or 2:01:18 where there are hours, which reads the same in every language. */
export function minutesAndSeconds(seconds: number): string {
  const twoDigits = (count: number) => String(Math.floor(count)).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const upToMinutes = minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}`
  return `${upToMinutes}:${twoDigits(seconds % 60)}`
}

/** @param now The service's time, Unix time, seconds. */
export function secondsLeft(request: Period, now: number): number {
  // A device's clock may be slow: never show more than the whole lifetime.
  return Math.min(lifetime(request), Math.max(0, request.expiresAt - now))
}

function lifetime({ createdAt, expiresAt }: Period): number {
  return Math.max(1, expiresAt - createdAt)
}
