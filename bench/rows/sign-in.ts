import type { SignInAppGiven } from '../contenders/sign-in-app.ts'
import { tokenUsers } from '../loads/sign-in.ts'
import type { SignInGiven, SignInWay } from '../loads/sign-in.ts'
import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import type { Entry, Measured } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import { cpu, figure, latency, lineOf } from '../row.ts'
import type { Row } from '../row.ts'
import { median } from '../spread.ts'
import { sqliteFile } from './start-service.ts'

const ways: readonly { readonly way: SignInWay; readonly name: string }[] = [
  { way: 'push', name: 'approved on a phone' },
  { way: 'code', name: 'with the code of a hardware token' },
  { way: 'passkey', name: 'with a passkey' },
  { way: 'remembered', name: 'in a remembered browser' },
  { way: 'enrollment', name: 'for the first time, with the setup of a phone' },
]

const sizeRest =
  'The page that waits for the phone is about 2.9 kB of it, 0.6 kB of which are the QR code for people who cannot type the number; the rest are headers of four requests and their answers, cookies, and the page after it. ' +
  'Done: the QR code without bytes for its margin (0.3 kB less, or 0.04 kB with gzip), one page instead of two in kept browsers, an icon in the page instead of a request. Not done: the code by a request of its own, which would be one more request without JavaScript.'

export const signIn: Row = {
  name: 'sign-in',
  title: 'A whole sign-in',
  work:
    'Eight people at a time sign in to an Express app with `mfa()` and an embedded service with a SQLite file, as their browsers do it: the login form, its answer, the redirects, the pages of the second step, ' +
    'their event stream and forms, up to the page of the app. The app has express-session and does not check the password. Browsers have been used before, but for the first sign-in, and have the scripts and styles in their cache. ' +
    'The requests of phones are not counted as requests of the browser, but their processor time is. kB are requests and responses with their headers; `mfa()` leaves the compression of pages to the app. There is no peer.',
  columns: [
    { key: 'requests', title: 'requests', unit: 'requests' },
    { key: 'size', title: 'kB', unit: 'kB' },
    { key: 'compressed', title: 'kB with gzip', unit: 'kB' },
    cpu,
    latency,
  ],
  chart: 'cpu',
  lowerIsBetter: true,
  async measure(run) {
    const app = await startContender<SignInAppGiven>('contenders/sign-in-app.ts', [
      sqliteFile(run.folder, 'sign-in'),
      String(tokenUsers),
    ])
    const entries: Entry[] = []
    for (const { way, name } of ways) {
      const load = await startLoad('sign-in', { ...app.given, way } satisfies SignInGiven)
      entries.push({ name, ours: true, load, counted: { contender: app } })
    }
    const measured = await interleave(entries, run)
    for (const { load } of entries) load.stop()
    await app.stop()
    const lines = measured.map((way, index) => {
      const line = lineOf(way)
      const {
        requests = Number.NaN,
        bytes = Number.NaN,
        compressedBytes = Number.NaN,
      } = entries[index]?.load.facts.traffic ?? {}
      const values = { requests: [requests], size: [bytes / 1_000], compressed: [compressedBytes / 1_000] }
      return { ...line, values: { ...line.values, ...values } }
    })
    const timeOf = (way?: Measured) =>
      figure(median(way?.samples.map((sample) => sample.cpu['contender'] ?? Number.NaN) ?? []))
    const [push, code, passkey] = measured
    const requestsOf = (index: number) => lines[index]?.values.requests[0]
    // A remembered browser makes the requests of the app's own login, and no others.
    const [pushLine, , passkeyLine, rememberedLine] = lines
    const secondStep = (line: typeof pushLine, key: 'requests' | 'compressed') =>
      (line?.values[key][0] ?? Number.NaN) - (rememberedLine?.values[key][0] ?? Number.NaN)
    return {
      lines,
      goals: [
        {
          figure: 'requests of the second step with a phone',
          value: secondStep(pushLine, 'requests'),
          reach: 6,
          atMost: true,
        },
        {
          figure: 'kB of the second step with a phone, with gzip',
          value: secondStep(pushLine, 'compressed'),
          reach: 6,
          atMost: true,
          unit: 'kB',
          rest: sizeRest,
        },
        {
          figure: 'requests of the second step with a passkey',
          value: secondStep(passkeyLine, 'requests'),
          reach: 7,
          atMost: true,
        },
      ],
      findings: [
        `The second step with a phone makes a sign-in ${requestsOf(0)} requests, and with a code ${requestsOf(1)}. Without a second step, as in a remembered browser, they are ${requestsOf(3)}.`,
        `The processor needs ${timeOf(push)} ms for a whole sign-in with a phone, ${timeOf(code)} ms with a code, and ${timeOf(passkey)} ms with a passkey.`,
      ],
    }
  },
}
