/** How many connections are held open. A browser has six for each service in all its windows, and answers need some. */
const maxHeld = 4

/**
 * Requests one of the few connections that all windows of this browser may hold open. It is released when `signal` aborts.
 * @param index The place of the account in the list: the first accounts come first.
 * @returns a function that tells whether the connection is granted.
 */
export function awaitConnection(index: number, signal: AbortSignal): () => boolean {
  let granted = false
  const hold = () => {
    granted = true
    return new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  // Rejects when the signal aborts first. Without locks, or without a grant, the account is polled.
  void navigator.locks?.request(`second-factor connection ${index % maxHeld}`, { signal }, hold).catch(() => undefined)
  return () => granted
}
