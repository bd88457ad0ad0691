import {
  isNotificationEndpoint,
  isRedirectUri,
  isResource,
  isSecureAddress,
} from '../../../admin-contract/oidc-addresses.ts'
import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import {
  authenticationsOf,
  clientKinds,
  entraId,
  maxAddresses,
  mayUseNonce,
  privateMembers,
} from '../../../admin-contract/oidc-client-rules.ts'
import { isolated } from '../../../ground/printable.ts'
import type { Words } from './texts/en.ts'

export type FieldName = keyof Words['fields']
export type PartName = keyof Words['parts']

/** What is typed or chosen in a field: a text, of lists one line for each entry; on or off; or some of the choices. */
export type Typed = string | boolean | readonly string[]

/** The values of all fields, whatever kind of client has them. */
export type Draft = Readonly<Record<FieldName, Typed>>

/** How a field is shown, and what the interface has in its place. `json` and `line` are null where nothing is typed. */
export type Control = 'text' | 'line' | 'lines' | 'json' | 'switch' | 'choice' | 'choices'

/** What is wrong with a value, in the words of the language. */
export type FieldProblem = (words: Words['problems']) => string

/** A setting of a client. Another setting is a line of `fields` below, and its words in `catalogs/openid/`. */
export interface Field {
  readonly name: FieldName
  readonly part: PartName
  readonly kinds: readonly OidcClientKind[]
  readonly control: Control
  /** The value of a new client; of a choice, the first one by default. */
  readonly initial?: Typed
  /** What can be chosen. A field with one choice is not shown. */
  readonly options?: (kind: OidcClientKind) => readonly string[]
  /** The member that contains the setting; by default it is one of the client itself. */
  readonly within?: 'entra' | 'ciba'
  /** It is no setting: it decides which other fields are shown. */
  readonly isQuestion?: true
  /** Whether it is shown, by what is chosen in other fields; always by default. */
  readonly when?: (draft: Draft) => boolean
  readonly problem?: (value: Typed, draft: Draft) => FieldProblem | undefined
}

const withBrowser = ['external', 'sign-in'] as const
const withKeys = ['external', 'sign-in', 'ciba'] as const

/** The settings of a client in the order of the page. */
export const fields: readonly Field[] = [
  { name: 'name', part: 'client', kinds: clientKinds, control: 'text', problem: required },
  {
    name: 'authentication',
    part: 'client',
    kinds: clientKinds,
    control: 'choice',
    options: (kind) => authenticationsOf[kind],
  },
  { name: 'native', part: 'client', kinds: ['sign-in'], control: 'switch' },
  {
    name: 'pkce',
    part: 'client',
    kinds: withBrowser,
    control: 'choice',
    options: () => ['required', 'nonce'],
    when: ({ authentication, native }) => mayUseNonce(String(authentication), native === true),
  },
  { name: 'tenant', part: 'entra', kinds: ['entra'], control: 'text', within: 'entra', problem: idProblem },
  { name: 'application', part: 'entra', kinds: ['entra'], control: 'text', within: 'entra', problem: idProblem },
  {
    name: 'username',
    part: 'entra',
    kinds: ['entra'],
    control: 'choice',
    within: 'entra',
    options: () => ['preferred_username', 'oid'],
  },
  {
    name: 'cloud',
    part: 'entra',
    kinds: ['entra'],
    control: 'choice',
    within: 'entra',
    options: () => ['global', 'us-government', 'china'],
  },
  {
    name: 'redirectUris',
    part: 'addresses',
    kinds: withBrowser,
    control: 'lines',
    problem: (value, draft) =>
      linesOf(value).length === 0 ? (words) => words.oneAddress : redirectProblem(value, draft),
  },
  { name: 'postLogoutRedirectUris', part: 'addresses', kinds: withBrowser, control: 'lines', problem: redirectProblem },
  { name: 'showsNumber', part: 'ciba', kinds: ['ciba'], control: 'switch', within: 'ciba' },
  {
    name: 'notificationEndpoint',
    part: 'ciba',
    kinds: ['ciba'],
    control: 'line',
    within: 'ciba',
    problem: (value) => addressProblem(value, isNotificationEndpoint, (address) => (words) => words.endpoint(address)),
  },
  { name: 'scopes', part: 'rights', kinds: withKeys, control: 'choices', options: () => ['profile', 'email'] },
  { name: 'refreshTokens', part: 'rights', kinds: ['sign-in'], control: 'switch' },
  {
    name: 'resources',
    part: 'rights',
    kinds: withBrowser,
    control: 'lines',
    problem: (value) => addressProblem(value, isResource, (address) => (words) => words.secure(address)),
  },
  {
    name: 'keySource',
    part: 'keys',
    kinds: withKeys,
    control: 'choice',
    options: () => ['none', 'address', 'pasted'],
    isQuestion: true,
    problem: (value, { authentication }) =>
      value === 'none' && authentication === 'private_key_jwt' ? (words) => words.needsKeys : undefined,
  },
  {
    name: 'jwksUri',
    part: 'keys',
    kinds: withKeys,
    control: 'line',
    when: ({ keySource }) => keySource === 'address',
    problem: (value, draft) =>
      required(value, draft) ?? addressProblem(value, isSecureAddress, (address) => (words) => words.secure(address)),
  },
  {
    name: 'jwks',
    part: 'keys',
    kinds: withKeys,
    control: 'json',
    when: ({ keySource }) => keySource === 'pasted',
    problem: (value, draft) => required(value, draft) ?? keyProblem(value),
  },
]

/** The entries of a list that is typed with one in each line. */
export const linesOf = (value: Typed): readonly string[] =>
  String(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function required(value: Typed, _draft: Draft): FieldProblem | undefined {
  return String(value).trim() === '' ? (words) => words.required : undefined
}

function idProblem(value: Typed): FieldProblem | undefined {
  return entraId.test(String(value).trim().toLowerCase()) ? undefined : (words) => words.guid
}

function redirectProblem(value: Typed, { native }: Draft): FieldProblem | undefined {
  const isNative = native === true
  return addressProblem(
    value,
    (address) => isRedirectUri(address, isNative),
    (address) => (words) => (isNative ? words.nativeRedirect(address) : words.redirect(address)),
  )
}

function addressProblem(
  value: Typed,
  isRight: (address: string) => boolean,
  problem: (address: string) => FieldProblem,
): FieldProblem | undefined {
  const addresses = linesOf(value)
  const wrong = addresses.find((address) => !isRight(address))
  if (wrong !== undefined) return problem(isolated(wrong))
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index)
  if (twice !== undefined) return (words) => words.twice(isolated(twice))
  return addresses.length > maxAddresses ? (words) => words.tooMany : undefined
}

/** The service checks the keys themselves. */
function keyProblem(value: Typed): FieldProblem | undefined {
  const set = parsed(String(value)) as { readonly keys?: unknown } | null | undefined
  const keys: readonly unknown[] = Array.isArray(set?.keys) ? set.keys : []
  const isKey = (key: unknown): key is object => typeof key === 'object' && key !== null
  const isSet = keys.length > 0 && keys.every(isKey)
  if (!isSet) return (words) => words.keys(isolated('{"keys":[{"kty":"RSA","n":"…","e":"AQAB"}]}'))
  const isPrivate = keys.filter(isKey).some((key) => privateMembers.some((member) => member in key))
  return isPrivate ? (words) => words.privateKey : undefined
}

/** @returns undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
