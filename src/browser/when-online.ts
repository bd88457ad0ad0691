/** Resolves when the browser is online: otherwise a page load would show the browser's error page. */
export function whenOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve()
  return new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }))
}
