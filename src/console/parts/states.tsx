import type { ComponentChildren, VNode } from 'preact'

import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type IconPath, warning } from '../../ui/icons.ts'
import type { Loaded } from '../hooks/use-load.ts'
import { useWords } from '../words/speech.tsx'

interface WhenLoadedProps<T> {
  readonly loaded: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}

/** The loaded value, or a message that it is loading or failed to load. */
export function WhenLoaded<T>({ loaded: { value, problem, loading, reload }, children }: WhenLoadedProps<T>) {
  return (
    <>
      {problem === undefined ? null : <Failed problem={problem} busy={loading} onRetry={() => void reload()} />}
      {value === undefined ? problem === undefined ? <Loading /> : null : children(value)}
    </>
  )
}

/** Lines where a list will be. Fast answers come before they can be seen. */
export function Loading(): VNode {
  const words = useWords()
  return (
    <div class="card loading" role="status">
      <span class="unseen">{words.loading}</span>
      <span class="line" />
      <span class="line" />
      <span class="line" />
    </div>
  )
}

interface FailedProps {
  readonly problem: string
  readonly busy: boolean
  readonly onRetry: () => void
}

/** A quiet banner: what is on the screen already stays. */
export function Failed({ problem, busy, onRetry }: FailedProps) {
  const words = useWords()
  return (
    <div class="notice-bar" role="alert">
      <Icon path={warning} />
      <p>{problem}</p>
      <Button class="outlined" aria-disabled={busy} onClick={() => busy || onRetry()} label={words.tryAgain} />
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconPath
  readonly children: ComponentChildren
}

/** Says that there is nothing, and what to do about it. */
export function Empty({ icon, children }: EmptyProps) {
  return (
    <div class="card empty">
      <Icon path={icon} />
      {children}
    </div>
  )
}
