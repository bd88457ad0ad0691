import { browserKey } from './offered-key.ts'
import { canKeepPasskey } from './passkey-support.ts'
import { choiceSaved } from './remember.ts'
import { whenOnline } from './when-online.ts'

/** The pause between tries, ms, and their number before the page is loaded, which then says what is wrong. */
const retryAfter = 2000
const tries = 5

/** Asks the server to verify, and continues. If it does not verify, its page says why. */
export async function complete(base: string, typing = false): Promise<void> {
  await choiceSaved()
  const next = await nextLocation(base)
  // Do not interrupt typing only to show that the request was not approved.
  if (typing && new URL(next, location.href).pathname === base) return
  // Replaces this page, so that the back button skips it.
  location.replace(next)
}

async function nextLocation(base: string): Promise<string> {
  for (let remainingTries = tries; remainingTries > 0; remainingTries--) {
    await whenOnline()
    const answer = await post(`${base}/complete`)
    if (answer) return answer.location ?? base
    await new Promise((resolve) => setTimeout(resolve, retryAfter))
  }
  return base
}

/** Undefined if the app did not answer: the connection broke, or a proxy answered. Then it is retried. */
async function post(url: string): Promise<{ location?: string } | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      credentials: 'same-origin',
      body: new URLSearchParams({ ...((await canKeepPasskey()) && { passkeys: 'yes' }), ...browserKey() }),
    })
    return (await answer.json()) as { location?: string }
  } catch {
    return undefined
  }
}
