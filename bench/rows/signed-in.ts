import { forEachOf } from '../../test/support/crowd/http-client.ts'
import { codeOf } from '../loads/second-steps.ts'
import type { WebAppGiven } from '../contenders/web-app.ts'

/** Signs users in to an app with `POST /login`. @returns their cookies. */
export async function logIn(url: string, count: number): Promise<readonly string[]> {
  const cookies: string[] = Array.from({ length: count }, () => '')
  await forEachOf([...cookies.keys()], 8, async (index) => {
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: `codes-${index}` }),
    })
    await response.text()
    cookies[index] = cookieOf(response) ?? ''
  })
  return cookies
}

/** Signs users in, and has each pass the second step with a code. @returns their cookies. */
export async function passSecondSteps({ url, seeds }: WebAppGiven): Promise<readonly string[]> {
  const cookies = [...(await logIn(url, seeds.length))]
  await forEachOf([...cookies.entries()], 8, async ([index, cookie]) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ code: codeOf(seeds[index] ?? '', Math.floor(Date.now() / 1000)) })
    const response = await fetch(`${url}/second-step`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`the code was answered with ${response.status} ${text}`)
    cookies[index] = cookieOf(response) ?? cookie
  })
  return cookies
}

function cookieOf(response: Response): string | undefined {
  const set = response.headers.getSetCookie().map((line) => line.split(';')[0])
  return set.length > 0 ? set.join('; ') : undefined
}
