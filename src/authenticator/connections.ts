/** A browser has six connections to a service for all its windows; answers need some of them. */
const places = 4

/**
 * Waits for one of the few connections that may be held open, among all windows of this browser; it is given back when
 * `signal` aborts.
 * @param index Of the account: the first ones get theirs first.
 * @returns whether it is there now.
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
  // Rejects when it was not granted before the end; a browser that cannot do it is served at a pace, too.
  void navigator.locks?.request(`second-factor connection ${index % places}`, { signal }, hold).catch(() => undefined)
  return () => granted
}
