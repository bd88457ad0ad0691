import type { DeviceRequest } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import { printable } from '../../ground/printable.ts'
import { Button } from '../../ui/button.tsx'
import { minutesAndSeconds, secondsLeft } from './time-left.tsx'
import { useWords } from '../words/speech.tsx'

interface BannerProps {
  readonly account: Account
  readonly period: Pick<DeviceRequest, 'domain' | 'createdAt' | 'expiresAt'>
  /** The subject of the banner. */
  readonly subject: string
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  /** The label of the button. */
  readonly action?: string
  readonly onReview: () => void
}

/** Announces a request or call on a screen that the person is using for something else. It takes the place of the app bar. */
export function Banner({ account, period, subject, now, action, onReview }: BannerProps) {
  const words = useWords()
  return (
    <header class="banner">
      <div>
        <p role="alert">
          <strong>
            <bdi>{printable(subject)}</bdi>
          </strong>
          {' · '}
          <bdi>{printable(period.domain.name)}</bdi>
        </p>
        {/* Outside of the alert, which would be read again each second. */}
        <span>{` · ${minutesAndSeconds(secondsLeft(period, now + account.clockOffset))}`}</span>
      </div>
      <Button class="filled" onClick={onReview} label={action ?? words.review} />
    </header>
  )
}
