import { codeOf } from '../loads/second-steps.ts'
import type { WebAppGiven } from '../contenders/web-app.ts'

/** Signs users in to an app with `POST /login`. @returns their cookies. */
export async function logIn(url: string, count: number): Promise<readonly string[]> {
  const cookies: string[] = []
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: `codes-${index}` }),
    })
    cookies.push(cookieOf(response) ?? '')
  }
  return cookies
}

/** Signs users in, and has each pass the second step with a code. @returns their cookies and seeds. */
export async function passSecondSteps({ url, seeds, now }: WebAppGiven) {
  const users: { cookie: string; seed: string }[] = []
  for (const [index, cookie] of (await logIn(url, seeds.length)).entries()) {
    const seed = seeds[index] ?? ''
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ code: codeOf(seed, now) })
    const response = await fetch(`${url}/second-step`, { method: 'POST', headers, body })
    if (response.status !== 200)
      throw new Error(`the code was answered with ${response.status} ${await response.text()}`)
    users.push({ cookie: cookieOf(response) ?? cookie, seed })
  }
  return users
}

function cookieOf(response: Response): string | undefined {
  const set = response.headers.getSetCookie().map((line) => line.split(';')[0])
  return set.length > 0 ? set.join('; ') : undefined
}
