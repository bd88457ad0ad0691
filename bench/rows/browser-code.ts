import type { WebAppGiven } from '../contenders/web-app.ts'
import type { BrowserCodeGiven } from '../loads/browser-code.ts'
import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import type { Sample } from '../measuring/load.ts'
import type { SignedIn } from '../peers/better-auth.ts'
import { cpu, figure, latency, lineOf, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { sqliteFile } from './start-service.ts'

const users = 120

export const browserCode: Row = {
  name: 'browser-code',
  title: 'A code in the browser',
  work:
    'Eight browsers of users who have entered their password post a code to an Express app, which completes the sign-in. The password is not measured. ' +
    "Right and wrong codes are measured apart. This package is an app with `mfa()`, `passport.authenticate('mfa')` and an embedded service with a SQLite file. " +
    'Peers are better-auth with its plugin `twoFactor` in an Express app (`POST /two-factor/verify-totp`, SQLite with WAL, its defaults), and passport-totp.',
  columns: [perSecond, cpu, latency],
  chart: 'perSecond',
  async measure(run) {
    const app = await startContender<WebAppGiven>('contenders/web-app.ts', [
      sqliteFile(run.folder, 'web-app'),
      String(users),
    ])
    const betterAuth = await startContender<{ url: string; users: readonly SignedIn[] }>('peers/better-auth.ts', [
      sqliteFile(run.folder, 'better-auth'),
      String(users),
    ])
    const totp = await startContender<{ url: string; seed: string }>('peers/passport-totp.ts')
    const logins = (seeds: readonly string[]) =>
      seeds.map((seed, index) => ({ login: { username: `codes-${index}` }, seed }))
    const login = { path: '/login', json: false }
    const step = { path: '/second-step', json: false }
    const ways: readonly BrowserCodeGiven[] = [
      { url: app.given.url, signIn: login, code: step, users: logins(app.given.seeds), movable: true },
      {
        url: app.given.url,
        signIn: login,
        code: step,
        users: logins(app.given.seeds),
        movable: true,
        wrong: true,
      },
      {
        ...betterAuth.given,
        signIn: { path: '/api/auth/sign-in/email', json: true },
        code: { path: '/api/auth/two-factor/verify-totp', json: true },
        movable: false,
      },
      {
        url: totp.given.url,
        signIn: login,
        code: step,
        users: logins(Array.from({ length: users }, () => totp.given.seed)),
        movable: false,
      },
    ]
    const contenders = [app, app, betterAuth, totp]
    const names = [
      'second-factor',
      'second-factor, a wrong code',
      'better-auth twoFactor',
      'passport-totp, stores nothing',
    ]
    const loads = []
    for (const way of ways) loads.push(await startLoad('browser-code', way))
    const measured = await interleave(
      loads.map((load, index) => ({
        name: names[index] ?? '',
        ours: index < 2,
        load,
        counted: { contender: { pid: contenders[index]?.pid ?? 0 } },
      })),
      run,
    )
    for (const load of loads) load.stop()
    for (const contender of contenders) await contender.stop()
    const [ownResult, wrongResult, peerResult, without] = measured
    const contenderTime = (sample: Sample) => sample.cpu['contender'] ?? Number.NaN
    const wrongShare = ratio(wrongResult, ownResult, contenderTime)
    const times = (peer: typeof ownResult) => ratio(ownResult, peer, (sample) => sample.perSecond).toFixed(2)
    const replayResults = loads.flatMap(({ facts }, index) =>
      ways[index]?.wrong ? [] : `${names[index]?.split(',')[0]} ${facts.replayed ? 'accepts' : 'denies'} it`,
    )
    return {
      lines: measured.map(lineOf),
      goals: [
        {
          figure: 'processor time of a wrong code in the browser, compared with a right one',
          value: wrongShare,
          reach: 1.2,
          atMost: true,
          unit: 'times',
        },
        {
          figure: 'codes in the browser, compared with better-auth',
          value: ratio(ownResult, peerResult, (sample) => sample.perSecond),
          reach: 3,
          unit: 'times',
          rest:
            'Of the processor time, 0.2 ms are the 20 statements of SQLite, which also redeem the approval and remember the browser. ' +
            'passport-totp needs 0.26 ms for express-session, Passport and the form alone. The web session gets two new ids, one from this package, so that it is never ' +
            'verified under an id that was known before, and one from Passport, which gives one at each login. ' +
            'Tried, with gain: SQLite keeps the pages of savepoints in memory and no longer in a temporary file (a fifth less processor time); a web session with a new id is not stored again when the answer ends, and the answer is not written in two parts for that (about 5 %). ' +
            'Tried before: calls to the embedded service within the process (35 µs each), one call that checks and redeems a code, one commit for concurrent sign-ins, ' +
            'one statement for all factors of a user instead of three, random bytes from a pool, hashes in one call.',
        },
      ],
      findings: [
        `This package checks ${times(peerResult)} times as many codes as better-auth, and ${times(without)} times as many as passport-totp.`,
        `A wrong code needs ${figure(wrongShare)} times the processor time of a right one, and the page that shows it is another request.`,
        `The same code a second time: ${replayResults.join(', ')}.`,
        'This package counts the attempt before it checks the code, uses the code up, writes the audit trail, syncs all of it to the disk before the answer, and gives the web session a new id. ' +
          'better-auth counts the attempt, deletes the pending sign-in and creates a session, which SQLite does not sync (`synchronous=NORMAL`). passport-totp has no database at all.',
      ],
    }
  },
}
