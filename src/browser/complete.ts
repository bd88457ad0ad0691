import { whenOnline } from './when-online.ts'

/** Between tries, ms, and how many there are before the page itself is asked what is wrong. */
const retryAfter = 2000
const tries = 5

/** Asks the server to verify, and goes on. Where it does not, its page says why. */
export async function complete(base: string, typing = false): Promise<void> {
  const next = await leadOn(base)
  // What somebody is typing here is worth more than the news that nothing came of the request.
  if (typing && new URL(next, location.href).pathname === base) return
  // Replaces this page: the back button leads past it.
  location.replace(next)
}

async function leadOn(base: string): Promise<string> {
  for (let left = tries; left > 0; left--) {
    await whenOnline()
    const answer = await post(`${base}/complete`)
    if (answer) return answer.location ?? base
    await new Promise((resolve) => setTimeout(resolve, retryAfter))
  }
  return base
}

/** Undefined when the app did not answer: the connection broke, or a proxy speaks for it. That decides nothing. */
async function post(url: string): Promise<{ location?: string } | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      credentials: 'same-origin',
    })
    return (await answer.json()) as { location?: string }
  } catch {
    return undefined
  }
}
