/** A request that is given up after a time, ms: a connection may die unnoticed while the device sleeps. Also when `signal` aborts. */
export async function fetchWithin<T>(
  time: number,
  signal: AbortSignal | undefined,
  [url, init]: readonly [string, RequestInit],
  read: (answer: Response) => T | Promise<T>,
): Promise<T> {
  const request = new AbortController()
  const giveUp = () => request.abort()
  const timer = setTimeout(giveUp, time)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp)
  try {
    return await read(await fetch(url, { ...init, signal: request.signal }))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}
