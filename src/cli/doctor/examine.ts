import type { Answer, NoAnswer, Visit } from './visit.ts'

/** What was found about one thing. */
export interface Finding {
  readonly about: string
  readonly state: 'good' | 'problem' | 'unknown'
  /** What it is, and for a problem what to do. */
  readonly text: string
}

export interface Examined {
  /** The address of the app, as browsers open it, without a slash at its end. */
  readonly url: URL
  /** The path of the challenge pages. */
  readonly path: string
  readonly visit: Visit
  /** Visits the authenticator, if it has an address of its own. */
  readonly visitAuthenticator: Visit | undefined
}

/** How far clocks may differ: codes of an app change every 30 seconds; s. */
const maxDrift = 15

/** Looks at an app as an anonymous visitor. One finding for each thing, in the order in which they matter. */
export async function examine(examined: Examined): Promise<readonly Finding[]> {
  const { visit, path } = examined
  const home = await visit('/', 'text/html')
  if ('failure' in home)
    return [problem('Address', `${home.failure}: ${home.advice ?? 'start the app, or correct the address'}`)]
  const challenge = await visit(path, 'application/json')
  const page = await visit(path, 'text/html')
  return [
    addressOf(examined),
    challengeOf(challenge, path),
    ...(isOurs(challenge) ? [cacheOf(page), policyOf(page), await scriptOf(examined)] : []),
    cookiesOf(home, examined.url),
    await authenticatorOf(examined),
    clockOf(home),
    ...(await debugOf(examined)),
  ]
}

const good = (about: string, text: string): Finding => ({ about, state: 'good', text })
const problem = (about: string, text: string): Finding => ({ about, state: 'problem', text })
const unknown = (about: string, text: string): Finding => ({ about, state: 'unknown', text })

const isLocal = ({ hostname }: URL): boolean => /^(localhost|.+\.localhost|127\..+|\[::1\])$/.test(hostname)

function addressOf({ url }: Examined): Finding {
  if (url.protocol === 'https:') return good('Address', 'answers, over https')
  if (isLocal(url)) return good('Address', 'answers, on this machine')
  return problem('Address', 'is http: browsers allow the authenticator and passkeys only over https')
}

const isOurs = (answer: Answer | NoAnswer): boolean =>
  'json' in answer && answer.status === 401 && answer.json?.['error'] === 'sign_in_required'

function challengeOf(answer: Answer | NoAnswer, path: string): Finding {
  const about = path
  if ('failure' in answer) return problem(about, answer.failure)
  if (isOurs(answer)) return good(about, 'is served by mfa()')
  const { status, headers } = answer
  const location = headers.get('location')
  if (location !== null) {
    return problem(
      about,
      `leads to ${location}: put app.use(mfa()) before what sends visitors to your login, because phones open pages below ${path} without one`,
    )
  }
  if (status === 404) {
    return problem(about, `is not there: add app.use(mfa()), forward ${path} and everything below it, or give --path`)
  }
  if (status >= 500) return problem(about, `fails (${status}): look at the log of the app, and of the proxy before it`)
  return problem(
    about,
    `shows another page (${status}): what serves it does not forward ${path} and everything below it to the app`,
  )
}

function cacheOf(page: Answer | NoAnswer): Finding {
  const about = 'Caches'
  if ('failure' in page) return problem(about, page.failure)
  const rule = page.headers.get('cache-control') ?? ''
  if (page.headers.has('age')) return problem(about, 'a cache answered: have it leave out the path of mfa()')
  if (/\bno-store\b/.test(rule)) return good(about, 'keep no page')
  return problem(about, `may keep pages (Cache-Control: ${rule || 'none'}): have your proxy leave this header as it is`)
}

function policyOf(page: Answer | NoAnswer): Finding {
  const about = 'Pages'
  if ('failure' in page) return problem(about, page.failure)
  const policy = page.headers.get('content-security-policy') ?? ''
  if (policy.includes("script-src 'self'") && policy.includes("connect-src 'self'"))
    return good(about, 'may run their script')
  return problem(
    about,
    'have another Content-Security-Policy than mfa() sends: have your proxy or middleware leave this header as it is',
  )
}

async function scriptOf({ visit, path }: Examined): Promise<Finding> {
  const about = 'Scripts'
  const answer = await visit(`${path}/assets/challenge.js`, '*/*')
  if ('failure' in answer) return problem(about, answer.failure)
  const type = answer.headers.get('content-type') ?? 'none'
  if (answer.status === 200 && type.startsWith('text/javascript')) return good(about, 'are served')
  return problem(about, `are not served (${answer.status}, Content-Type: ${type}): forward everything below ${path}`)
}

function cookiesOf({ headers }: Answer, url: URL): Finding {
  const about = 'Cookies'
  const cookies = headers.getSetCookie()
  if (cookies.length === 0) return unknown(about, 'none before the login: look at your session cookie in the browser')
  const faults = cookies.flatMap((cookie) =>
    faultsOf(cookie, url).map((fault) => `${cookie.split('=', 1)[0]} ${fault}`),
  )
  if (faults.length > 0) return problem(about, faults.join('; '))
  const open = cookies.filter((cookie) => /;\s*SameSite=None\b/i.test(cookie)).map((cookie) => cookie.split('=', 1)[0])
  return open.length === 0
    ? good(about, 'are out of the reach of scripts and of other sites')
    : unknown(
        about,
        `${open.join(', ')} is sent with forms of other sites (SameSite=None): your app needs CSRF protection`,
      )
}

function faultsOf(cookie: string, url: URL): string[] {
  const has = (attribute: string) => new RegExp(`;\\s*${attribute}\\b`, 'i').test(cookie)
  const needsSecure = url.protocol === 'https:' && !has('Secure')
  return [
    ...(has('HttpOnly')
      ? []
      : ['lacks HttpOnly, so scripts can read it: if it is your session cookie, set cookie: { httpOnly: true }']),
    ...(needsSecure
      ? ["lacks Secure: set cookie: { secure: true }, and app.set('trust proxy', 1) behind a proxy"]
      : []),
    ...(has('SameSite')
      ? []
      : ["lacks SameSite, so forms of other sites are sent with it: set cookie: { sameSite: 'lax' }"]),
  ]
}

async function authenticatorOf({ visit, visitAuthenticator, path }: Examined): Promise<Finding> {
  const about = 'Authenticator'
  const isElsewhere = visitAuthenticator !== undefined
  const base = isElsewhere ? '/authenticator' : `${path}/authenticator`
  const visitor = visitAuthenticator ?? visit
  const page = await visitor(`${base}/`, 'text/html')
  if ('failure' in page) return problem(about, page.failure)
  if (page.status === 404 && !isElsewhere) {
    return unknown(about, 'is not below this app: give --authenticator-url if the service runs elsewhere')
  }
  if (page.status !== 200) return problem(about, `answers ${page.status} at ${base}/: phones open it without a login`)
  const worker = await visitor(`${base}/sw.js`, '*/*')
  const type = 'failure' in worker ? worker.failure : (worker.headers.get('content-type') ?? 'none')
  if (type.startsWith('text/javascript')) return good(about, 'can be installed')
  return problem(
    about,
    `cannot be installed, because ${base}/sw.js is no script (${type}): forward everything below ${base}`,
  )
}

function clockOf({ at, headers }: Answer): Finding {
  const about = 'Clock'
  // A cache keeps the date of the app, and says how old it is (RFC 9111 section 5.1).
  const sent = Date.parse(headers.get('date') ?? '') / 1000 + Number(headers.get('age') ?? 0)
  if (Number.isNaN(sent)) return unknown(about, 'the answer has no date')
  const drift = Math.round(Math.abs(sent - at))
  if (drift <= maxDrift) return good(about, 'agrees with the one of this machine')
  return problem(
    about,
    `differs by ${drift} seconds from the one of this machine: let both be set by NTP, because codes depend on it`,
  )
}

/** What an app in development says of itself. */
async function debugOf({ visit, path, url }: Examined): Promise<readonly Finding[]> {
  const answer = await visit(`${path}/debug`, 'application/json')
  const { state, publicUrl } = ('json' in answer && answer.status === 200 && answer.json) || {}
  if (!Array.isArray(state)) {
    return [
      unknown(
        'Service',
        'set debug: true during development, and look again; on the machine of the service, run second-factor check',
      ),
    ]
  }
  const facts = new Map((state as { name: string; value: string }[]).map(({ name, value }) => [name, value]))
  const service = facts.get('Service') ?? 'says nothing'
  return [
    service.startsWith('answers') ? good('Service', service) : problem('Service', service),
    ...(typeof publicUrl === 'string' && URL.parse(publicUrl)?.origin !== url.origin
      ? [problem('publicUrl', `is ${publicUrl}, and browsers open ${url.origin}: write the address that browsers open`)]
      : []),
    ...(isLocal(url) ? [] : [problem('debug', 'is on: turn it off where others can open the app')]),
  ]
}
