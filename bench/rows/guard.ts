import type { WebAppGiven } from '../contenders/web-app.ts'
import type { RequestGiven } from '../loads/request.ts'
import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import type { SignedIn } from '../peers/better-auth.ts'
import { cpu, latency, lineOf, percent, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { median } from '../spread.ts'
import { logIn, passSecondSteps } from './signed-in.ts'
import { sqliteFile } from './start-service.ts'

const guardRest =
  'A profile shows many small parts, and none takes more than 1.2 µs: reading the verification record, the context of the request, who is signed in, whether the ' +
  'record still counts, the asynchronous context, the time. The web session of a verified user is larger as well, and express-session parses it twice, serializes it once and hashes ' +
  'it three times for each request: 1.8 µs. Tried, with gain: nothing on the request refers back to it, because V8 then copied a fifth of the memory of all requests when it ' +
  'collected garbage (12 µs); the record as one string (4 to 10 µs); a user that is validated again only after something about it has changed (8 µs). Tried before: a synchronous path ' +
  'for verified web sessions, no WeakMap by request, no URL objects, no new functions for each request. Without gain: no asynchronous context for each request.'

export const guard: Row = {
  name: 'guard',
  title: 'A page behind the guard',
  work:
    'Eight browsers read a short page of an Express app again and again, with a session that is verified. ' +
    '`mfa()` and `requireMfa()` run after express-session and `passport.session()`, and are compared with these two alone. ' +
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
    const contenders = [bare, app, openid, betterAuth]
    const cookies = [
      (await logIn(bare.given.url, 1))[0],
      (await passSecondSteps(app.given))[0]?.cookie,
      (await logIn(openid.given.url, 1))[0],
      betterAuth.given.users[0]?.cookie,
    ]
    const names = [
      'express-session + passport alone',
      'second-factor, with both',
      'express-openid-connect',
      'better-auth getSession',
    ]
    const loads = []
    for (const [index, contender] of contenders.entries()) {
      const headers = { cookie: cookies[index] ?? '', accept: 'text/html' }
      const request = { url: contender.given.url, method: 'GET', path: '/page', headers } satisfies RequestGiven
      loads.push(await startLoad('request', request))
    }
    const measured = await interleave(
      loads.map((load, index) => ({
        name: names[index] ?? '',
        ours: index === 1,
        load,
        counted: { contender: { pid: contenders[index]?.pid ?? 0 } },
      })),
      run,
    )
    for (const load of loads) load.stop()
    for (const contender of contenders) await contender.stop()
    const [without, ours] = measured
    const share = ratio(without, ours, (sample) => sample.cpu['contender'] ?? Number.NaN)
    const added = (ours?.samples ?? []).map(
      (sample, round) => (sample.cpu['contender'] ?? 0) - (without?.samples[round]?.cpu['contender'] ?? 0),
    )
    return {
      lines: measured.map(lineOf),
      findings: [
        `\`mfa()\` and \`requireMfa()\` add ${median(added).toFixed(3)} ms of processor time to a request. For pages that do nothing else, one core answers ${percent(share)} of the requests that it answers without them.`,
        'No guard in this table asks a service over the network.',
      ],
      goals: [
        {
          figure: 'what `mfa()` and `requireMfa()` add to a request',
          value: median(added),
          reach: 0.02,
          atMost: true,
          unit: 'ms',
          rest: guardRest,
        },
        {
          figure: 'throughput of a page behind them, compared with the page alone',
          value: share,
          reach: 0.93,
          unit: 'of it',
          rest:
            'The page alone needs 0.04 to 0.06 ms on this machine, so this goal leaves 0.003 to 0.0045 ms for both, a quarter of the other one. ' +
            'Two empty handlers, beside a web session with a verification record, take 0.005 ms, and 0.007 ms with an asynchronous context. ' +
            'A page that takes 0.25 ms, as one with a template and a query does, reaches it. ' +
            guardRest,
        },
      ],
    }
  },
}
