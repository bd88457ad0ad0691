/** A browser's POST of a code to an app, after the user has entered a password there. */
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { codeOf, wrongCodeOf } from './second-steps.ts'

export interface BrowserCodeGiven {
  readonly url: string
  readonly signIn: FormPath
  /** The address that the code is posted to. */
  readonly code: FormPath
  readonly users: readonly { readonly login: Readonly<Record<string, string>>; readonly seed: string }[]
  /** Whether the app's clock can be moved, for apps that accept a code once. */
  readonly movable: boolean
  /** Whether the codes that are measured are wrong. Between two of them, each user enters a correct one, which is not measured. */
  readonly wrong?: boolean
}

interface FormPath {
  readonly path: string
  /** Otherwise a form. */
  readonly json: boolean
}

export async function createLoad({
  url,
  signIn,
  code,
  users,
  movable,
  wrong = false,
}: BrowserCodeGiven): Promise<Load> {
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
    const { location = '' } = response.headers
    // A page of the second step leads on after a correct code, and to the field for codes after a wrong one.
    return {
      status: response.status,
      passed: response.status === 200 || (response.status === 303 && !location.includes('use=')),
    }
  }
  const enterPassword = async (index: number) => {
    const { status } = await post(index, signIn, users[index]?.login ?? {})
    if (status !== 200) throw new Error(`the password was answered with ${status}`)
  }
  const enter = (index: number, text: string) => post(index, code, { code: text })
  const pass = async (index: number) => {
    const { status, passed } = await enter(index, codeOf(users[index]?.seed ?? '', clock.now()))
    if (!passed) throw new Error(`the code was answered with ${status}`)
  }
  const nextPass = async () => {
    for (const index of users.keys()) await enterPassword(index)
    if (!movable) return
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
    if (!wrong) return
    // Ten wrong codes in a row would lock the user's codes, and five of one challenge end it.
    for (const index of users.keys()) {
      await pass(index)
      await enterPassword(index)
    }
  }
  await nextPass()
  if (!wrong) await pass(0)
  await enterPassword(0)
  const { passed: replayed } = await enter(0, codeOf(users[0]?.seed ?? '', clock.now()))
  return {
    size: users.length,
    facts: { replayed },
    nextPass,
    async unit(index) {
      if (!wrong) return pass(index)
      const { status, passed } = await enter(index, wrongCodeOf(users[index]?.seed ?? '', clock.now()))
      if (passed || (status !== 303 && status !== 401)) throw new Error(`the wrong code was answered with ${status}`)
    },
  }
}
