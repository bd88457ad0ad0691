import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'
import { shownNameOf } from '../../contract/shown-name.ts'
import type { RequestContext } from '../request/context.ts'
import type { Page } from '../request/outcome.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { defaultAccent } from '../options/accent.ts'
import { assetPath } from './assets.ts'
import { iconOf } from './icon.ts'
import { languageFor, languageHeaders } from './languages.ts'
import type { Language } from '../options/languages.ts'
import type { Messages } from '../messages/messages.ts'
import { queryOf } from '../request/query.ts'

const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)), cache: true })

/** The parts that all pages have. */
export interface Layout {
  readonly base: string
  /** Where the script waits for changes, and the page reloads; by default the challenge. */
  readonly liveBase?: string
  readonly language: Language
  /** The texts. */
  readonly words: Messages
  /** Whether the page waits for changes: by script, otherwise by reloading. */
  readonly live?: boolean
  /** Whether the script completes the challenge at once. */
  readonly settled?: boolean
  /** Whether users type on this page: then it does not reload. */
  readonly typing?: boolean
  /** Whether a field has the focus, instead of the headline. */
  readonly hasField?: boolean
  /** The token of its forms. */
  readonly token?: string
  /** Whether it is wider than a card. */
  readonly wide?: boolean
}

/** The part of a request that a page needs. */
export type PageRequest = Pick<WebRequest, 'req' | 'context' | 'state'>

/** @param fixed The language, where users cannot choose it. */
export function layoutOf({ req, context, state }: PageRequest, fixed?: Language) {
  const { base, user, mfa } = context
  const language = fixed ?? languageFor(req, context)
  const headers = languageHeaders(language, fixed ? fixed.tag : mfa.options.languages.choice)
  const { words } = language
  const { appName = words.appName, logo, accent } = mfa.options
  const initial = firstLetter(appName)
  const signOut = signOutOf(context)
  return {
    base,
    language,
    languageHeaders: headers,
    formTargets: ["'self'", ...mfa.options.returnOrigins],
    words,
    appName,
    initial,
    logo,
    icon: logo ?? iconOf(initial, accent?.light ?? defaultAccent),
    style: assetPath(base, '/assets/style.css', mfa.options),
    script: assetPath(base, '/assets/challenge.js', mfa.options),
    browserKeyScript: assetPath(base, '/assets/browser-key.js', mfa.options),
    passkeyScript: assetPath(base, '/assets/passkey.js', mfa.options),
    person: user && shownNameOf(user),
    username: user?.username,
    isIn: verifiedOf(state, context) !== undefined,
    signOut,
    live: false,
    still: queryOf(req).has('still'),
    settled: false,
    typing: false,
    hasField: false,
    token: state.challenge?.page ?? state.page ?? '',
    method: req.method,
  } satisfies Layout & Record<string, unknown>
}

/** The address and the method of "Sign out". */
function signOutOf({ base, prefix, mfa: { options } }: RequestContext) {
  const { logout, logoutPath, logoutMethod } = options
  if (logout) return { address: `${base}/sign-out`, isOurs: true, isLink: false }
  if (logoutPath === undefined) return undefined
  return { address: prefix + logoutPath, isOurs: false, isLink: logoutMethod === 'GET' }
}

/** Kept, because creating one takes a tenth of a millisecond, and each page has a letter. */
const graphemes = new Intl.Segmenter()

/** The first letter with all its accents, or the whole emoji. */
function firstLetter(name: string): string {
  const [first] = graphemes.segment(name)
  return first?.segment ?? ''
}

interface Model extends Layout {
  readonly languageHeaders: Readonly<Record<string, string>>
  /** Where its forms may lead, through redirects as well (CSP Level 3 section 6.4.1). */
  readonly formTargets: readonly string[]
}

/** @param model Everything that the view shows. */
export function page(
  status: number,
  view: string,
  model: Model & Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Page {
  const allHeaders = { ...pageHeaders(model.formTargets), ...model.languageHeaders, ...headers }
  return { kind: 'page', status, view, model, headers: allHeaders }
}

export function renderPage({ view, model }: Page): string {
  return eta.render(view, model)
}

/** The content for a view of the app's own view engine: any page of the second step. */
export interface ChallengeView {
  /** The name of the page, such as `waiting` or `code`. */
  readonly page: string
  readonly headline: string
  readonly appName: string
  /** The name of the user who is signing in, as people know it. */
  readonly name: string | undefined
  /** The name that the user signs in with; undefined for an app that gives `serviceUserId`. */
  readonly username: string | undefined
  /** The values of the attributes `lang` (BCP 47) and `dir`. */
  readonly language: { readonly tag: string; readonly direction: 'ltr' | 'rtl' }
  /** The number to type on the device, while a request waits that has one. */
  readonly number: string | undefined
  /** The text of the QR code that the authenticator reads in place of the number. */
  readonly scanCode: string | undefined
  /** The address of our style sheet, for views that use it. */
  readonly styleSheet: string
  /** HTML for the head: our script, and what browsers without JavaScript need. */
  readonly head: string
  /** HTML of the page: its headline, texts and forms. */
  readonly content: string
}

export function challengeViewOf({ view, model }: Page): ChallengeView {
  const { headline, appName, person, username, language, number, scanCode, style } = model as ReturnType<
    typeof layoutOf
  > &
    Pick<ChallengeView, 'headline' | 'number' | 'scanCode'>
  return {
    page: view,
    headline,
    appName,
    name: person?.name,
    username,
    language: { tag: language.tag, direction: language.direction },
    number,
    scanCode,
    styleSheet: style,
    head: eta.render('head', model),
    content: eta.render(view, { ...model, contentOnly: true }),
  }
}

const pageHeaders = (formTargets: readonly string[]) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // In place of the app's own: the policy that OWASP recommends allows neither passkeys nor copying the number.
  'Permissions-Policy': [
    'publickey-credentials-create=(self)',
    'publickey-credentials-get=(self)',
    'clipboard-write=(self)',
    'camera=()',
    'geolocation=()',
    'microphone=()',
    'payment=()',
    'usb=()',
  ].join(', '),
  'Cross-Origin-Opener-Policy': 'same-origin',
})
