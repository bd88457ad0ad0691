/** A browser's POST of a code to an app, after the user has entered a password there. */
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { codeOf } from './second-steps.ts'

export interface BrowserCodeGiven {
  readonly url: string
  readonly signIn: FormPath
  /** The address that the code is posted to. */
  readonly code: FormPath
  readonly users: readonly { readonly login: Readonly<Record<string, string>>; readonly seed: string }[]
  /** Whether the app's clock can be moved, for apps that accept a code once. */
  readonly movable: boolean
}

interface FormPath {
  readonly path: string
  /** Otherwise a form. */
  readonly json: boolean
}

export async function createLoad({ url, signIn, code, users, movable }: BrowserCodeGiven): Promise<Load> {
  const clock = createMovedClock()
  const http = createHttpClient(url, '127.0.0.1')
  const jars = users.map(() => new Map<string, string>())
  const post = async (index: number, { path, json }: FormPath, fields: Readonly<Record<string, string>>) => {
    const body = json ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
    const headers = {
      cookie: [...(jars[index] ?? [])].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: url,
      'sec-fetch-site': 'same-origin',
      'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    }
    const response = await http.send({ method: 'POST', path, headers, body })
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jars[index]?.delete(name)
      else jars[index]?.set(name, value)
    }
    return response.status
  }
  const enterPassword = async (index: number) => {
    const status = await post(index, signIn, users[index]?.login ?? {})
    if (status !== 200) throw new Error(`the password was answered with ${status}`)
  }
  const enterCode = (index: number) => post(index, code, { code: codeOf(users[index]?.seed ?? '', clock.now()) })
  const nextPass = async () => {
    for (const index of users.keys()) await enterPassword(index)
    if (!movable) return
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
  }
  await nextPass()
  const first = await enterCode(0)
  if (first !== 200) throw new Error(`the code was answered with ${first}`)
  await enterPassword(0)
  const replayed = (await enterCode(0)) === 200
  return {
    size: users.length,
    facts: { replayed },
    nextPass,
    async unit(index) {
      const status = await enterCode(index)
      if (status !== 200) throw new Error(`the code was answered with ${status}`)
    },
  }
}
