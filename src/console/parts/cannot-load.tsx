import { useState } from 'preact/hooks'

import { mount } from '../session/mount.ts'
import { Page } from './page.tsx'
import { Failed } from './states.tsx'
import { useWords } from '../words/speech.tsx'

/**
 * For a screen whose script cannot be loaded: the service is unreachable, or it was updated and has other scripts now. Browsers
 * may remember that a script was missing, and only the page knows the names of the new ones, so the page is reloaded. It is kept
 * until the service responds, because the browser's own error page would offer less.
 */
export function CannotLoad() {
  const words = useWords()
  const [busy, setBusy] = useState(false)

  async function retry() {
    setBusy(true)
    const responds = await fetch(mount, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (responds) location.reload()
    else setBusy(false)
  }
  return (
    <Page title={words.cannotLoad}>
      <Failed problem={words.cannotLoadSentence} busy={busy} onRetry={() => void retry()} />
    </Page>
  )
}
