import type { WebAppGiven } from '../contenders/web-app.ts'
import type { RequestGiven } from '../loads/request.ts'
import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import type { Entry, Measured } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import type { Sample } from '../measuring/load.ts'
import type { SignedIn } from '../peers/better-auth.ts'
import { cpu, figure, latency, lineOf, percent, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { median } from '../spread.ts'
import { logIn, passSecondSteps } from './signed-in.ts'
import { sqliteFile } from './start-service.ts'

const guardRest =
  'A profile shows many small parts, and none takes more than 1.2 µs: reading the verification record, the context of the request, who is signed in, whether the ' +
  'record still counts, the asynchronous context, the time. The web session of a verified user is larger as well, and express-session parses it twice, serializes it once and hashes ' +
  'it three times for each request. Tried, with gain: nothing on the request refers back to it, because V8 then copied a fifth of the memory of all requests when it ' +
  'collected garbage (12 µs); the record as one string (4 to 10 µs); a user that is validated again only after something about it has changed (8 µs). Tried before: a synchronous path ' +
  'for verified web sessions, no WeakMap by request, no URL objects, no new functions for each request. Without gain: no asynchronous context for each request, no property of the ' +
  'request for `req.mfa`, plain properties instead of defined ones.'

/** Web sessions whose users take turns, and where they are. */
const crowds = [
  { count: 3_000, store: 'MemoryStore' },
  { count: 10_000, store: 'MemoryStore' },
  { count: 10_000, store: 'Redis' },
] as const
type Crowd = (typeof crowds)[number]
/** Those with a goal. */
const largeCrowds = crowds.filter(({ count }) => count === 10_000)

const nameOf = ({ count, store }: Crowd) =>
  `${count.toLocaleString('en-US')} web sessions${store === 'Redis' ? ' in Redis' : ''}`
const pageAlone = (crowd: Crowd) => `express-session + passport alone, ${nameOf(crowd)}`
const guardedPage = (crowd: Crowd) => `second-factor, with both, ${nameOf(crowd)}`

export const guard: Row = {
  name: 'guard',
  title: 'A page behind the guard',
  work:
    'Eight browsers read a short page of an Express app again and again, with a session that is verified. ' +
    '`mfa()` and `requireMfa()` run after express-session and `passport.session()`, and are compared with these two alone, and with two handlers that do nothing in the same app, for the ' +
    'same web session. With several web sessions, each request is by the next one of as many users, and the two are compared with express-session and `passport.session()` alone for the ' +
    'same web sessions in the same app. All are in the `MemoryStore` of express-session, or in a stand-in for Redis in a process of its own, which does not count. ' +
    'Peers are `requiresAuth()` of express-openid-connect, whose session is an encrypted cookie, and `getSession()` of better-auth, which reads SQLite.',
  columns: [perSecond, cpu, latency],
  chart: 'cpu',
  lowerIsBetter: true,
  async measure(run) {
    const bare = await startContender<WebAppGiven>('contenders/web-app.ts')
    const app = await startContender<WebAppGiven>('contenders/web-app.ts', [sqliteFile(run.folder, 'guard'), '1'])
    const openid = await startContender<{ url: string }>('peers/express-openid-connect.ts')
    const betterAuth = await startContender<{ url: string; users: readonly SignedIn[] }>('peers/better-auth.ts', [
      sqliteFile(run.folder, 'guard-better-auth'),
      '1',
    ])
    const verified = (await passSecondSteps(app.given))[0]
    const redis = await startContender<{ url: string }>('contenders/redis.ts')
    const startCrowded = async (store: Crowd['store']) => {
      const users = String(Math.max(...crowds.map(({ count }) => count)))
      const address = store === 'Redis' ? [redis.given.url] : []
      const args = [sqliteFile(run.folder, `crowded-${store}`), users, ...address]
      const contender = await startContender<WebAppGiven>('contenders/web-app.ts', args)
      return { contender, cookies: await passSecondSteps(contender.given) }
    }
    const crowded = { MemoryStore: await startCrowded('MemoryStore'), Redis: await startCrowded('Redis') }
    const pages: readonly MeasuredPage[] = [
      { name: 'express-session + passport alone', contender: bare, cookie: (await logIn(bare.given.url, 1))[0] },
      { name: 'two handlers that do nothing', contender: app, cookie: verified, path: '/ungated' },
      { name: 'second-factor, with both', ours: true, contender: app, cookie: verified },
      { name: 'express-openid-connect', contender: openid, cookie: (await logIn(openid.given.url, 1))[0] },
      { name: 'better-auth getSession', contender: betterAuth, cookie: betterAuth.given.users[0]?.cookie },
      ...crowds.flatMap((crowd) => {
        const { contender, cookies } = crowded[crowd.store]
        const shared = { contender, cookies: cookies.slice(0, crowd.count) }
        return [
          { ...shared, name: pageAlone(crowd), path: '/before-gate' },
          { ...shared, name: guardedPage(crowd), ours: true },
        ]
      }),
    ]
    const entries = []
    for (const page of pages) entries.push(await entryOf(page))
    // An app with so many users is never without requests, so it keeps the stream by which the service reports ended verifications.
    const keepsBusy = setInterval(() => {
      for (const { contender, cookies } of Object.values(crowded))
        void fetch(new URL('/page', contender.given.url), { headers: { cookie: cookies[0] ?? '' } })
    }, 5_000)
    const measured = await interleave(entries, run)
    clearInterval(keepsBusy)
    for (const { load } of entries) load.stop()
    const apps = Object.values(crowded).map(({ contender }) => contender)
    for (const contender of [bare, app, openid, betterAuth, ...apps, redis]) await contender.stop()
    const [without, nothing, ownResult] = measured
    const time = (sample: Sample) => sample.cpu['contender'] ?? Number.NaN
    const share = ratio(without, ownResult, time)
    const shareOfNothing = percent(ratio(without, nothing, time))
    const addedTo = (alone: Measured | undefined, guarded: Measured | undefined) =>
      median(
        (guarded?.samples ?? []).map((sample, round) => time(sample) - (alone?.samples[round]?.cpu['contender'] ?? 0)),
      )
    const added = addedTo(without, ownResult)
    const found = (name: string) => measured.find((each) => each.name === name)
    const addedIn = (crowd: Crowd) => addedTo(found(pageAlone(crowd)), found(guardedPage(crowd)))
    return {
      lines: measured.map(lineOf),
      findings: [
        `\`mfa()\` and \`requireMfa()\` add ${added.toFixed(3)} ms of processor time to a request. For pages that do nothing else, one core answers ${percent(share)} of the requests that it answers without them.`,
        ...crowds.map(
          (crowd) => `With requests of ${nameOf(crowd)} in turn, they add ${addedIn(crowd).toFixed(3)} ms.`,
        ),
        'With one user, the verification record of the last request is still parsed. With many, each request parses its own.',
        'No guard in this table asks a service over the network.',
      ],
      goals: [
        {
          figure: 'what `mfa()` and `requireMfa()` add to a request',
          value: added,
          reach: 0.02,
          atMost: true,
          unit: 'ms',
          rest: guardRest,
        },
        ...largeCrowds.map((crowd) => ({
          figure: `the same, with requests of ${nameOf(crowd)} in turn`,
          value: addedIn(crowd),
          reach: 0.02,
          atMost: true,
          unit: 'ms',
          rest: guardRest,
        })),
        {
          figure: 'throughput of a page behind them, compared with the page alone',
          value: share,
          reach: 0.93,
          unit: 'of it',
          rest:
            `Two handlers that do nothing, in the same app and with the same web session, reach ${shareOfNothing} in this run: the page alone takes so little time that the larger web ` +
            `session, of about 230 bytes more, and two calls are most of what this goal allows. A page that takes ${figure((added * 0.93) / 0.07)} ms or more, as one with a template and a query does, reaches it. ` +
            guardRest,
        },
      ],
    }
  },
}

interface MeasuredPage extends Pick<Entry, 'name' | 'ours'> {
  readonly contender: { readonly pid: number; readonly given: { readonly url: string } }
  readonly cookie?: string | undefined
  readonly cookies?: readonly string[]
  readonly path?: string
}

async function entryOf({ contender, cookie = '', cookies = [], path = '/page', ...label }: MeasuredPage) {
  const headers = { cookie, accept: 'text/html' }
  const request = { url: contender.given.url, method: 'GET', path, headers, cookies } satisfies RequestGiven
  return { ...label, load: await startLoad('request', request), counted: { contender: { pid: contender.pid } } }
}
