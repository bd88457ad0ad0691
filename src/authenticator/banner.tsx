import { printable } from '../printable.ts'
import { Button } from '../ui/button.tsx'
import { subjectOf } from './facts.ts'
import { secondsLeft } from './time-left.tsx'
import type { Pending } from './use-inbox.ts'
import { useWords } from './words/speech.tsx'

interface BannerProps {
  readonly pending: Pending
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  readonly onReview: () => void
}

/** Announces a request on a screen that the person is using for something else. It takes the place of the app bar. */
export function Banner({ pending: { account, request }, now, onReview }: BannerProps) {
  const words = useWords()
  return (
    <header class="banner">
      <div>
        <p role="alert">
          <strong>
            <bdi>{printable(subjectOf(request, words) ?? words.signInRequest)}</bdi>
          </strong>
          {' · '}
          <bdi>{printable(request.domain.name)}</bdi>
        </p>
        {/* Outside of the alert, which would be read again each second. */}
        <span>{` · ${words.codeLeft(Math.ceil(secondsLeft(request, now + account.clockOffset)))}`}</span>
      </div>
      <Button class="filled" onClick={onReview} label={words.review} />
    </header>
  )
}
