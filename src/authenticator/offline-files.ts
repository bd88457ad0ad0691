/** How long a new version may take to get ready before this one is shown after all, milliseconds. */
const patience = 3000

/**
 * Lets a version that came while the last one was open take over.
 * @param address What the page was opened with: it is opened with that again.
 * @returns whether the page is loaded anew for it.
 */
export async function takeNewVersion(address: string): Promise<boolean> {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  const { waiting } = registration ?? {}
  if (!waiting) return false
  const taken = new Promise<boolean>((resolve) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true), { once: true })
    setTimeout(() => resolve(false), patience)
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker never leaves its origin
  waiting.postMessage('take over')
  if (!(await taken)) return false
  history.replaceState(history.state, '', address)
  location.reload()
  return true
}

/** Without it the page works all the same, but needs a connection to open. */
export function keepFilesForOffline(): void {
  void navigator.serviceWorker?.register('./sw.js', { updateViaCache: 'none' }).catch(() => undefined)
}
