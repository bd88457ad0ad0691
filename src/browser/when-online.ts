/** Resolves when there is a network: what is loaded without one is the browser's own error page. */
export function whenOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve()
  return new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }))
}
