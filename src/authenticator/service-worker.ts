/** How long to wait for a new version before the current one is shown, milliseconds. */
const activationTimeout = 3000

/**
 * Activates a new version that was installed while the app was open.
 * @param address The address with which the page was opened: it is loaded again.
 * @returns whether the page reloads.
 */
export async function activateNewVersion(address: string): Promise<boolean> {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  const { waiting } = registration ?? {}
  if (!waiting) return false
  const activated = new Promise<boolean>((resolve) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true), { once: true })
    setTimeout(() => resolve(false), activationTimeout)
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker never leaves its origin
  waiting.postMessage('take over')
  if (!(await activated)) return false
  history.replaceState(history.state, '', address)
  location.reload()
  return true
}

/** Without the service worker the page works, too, but needs a connection to open. */
export function registerServiceWorker(): void {
  void navigator.serviceWorker?.register('./sw.js', { updateViaCache: 'none' }).catch(() => undefined)
}
