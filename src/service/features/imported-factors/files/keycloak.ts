import { parseJson } from '../../../../contract/validate.ts'
import type { FactorRow } from './factor-row.ts'
import { textOf } from './fields.ts'
import type { Said } from './fields.ts'
import type { JsonItem } from './json-items.ts'
import type { CodeSettings } from './read-app.ts'
import { readRow } from './read-row.ts'
import { sources } from './sources.ts'

type Members = Readonly<Record<string, unknown>>

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {}

/** An export of Keycloak holds its credentials as texts of JSON. */
const partOf = (value: unknown): Members => membersOf(typeof value === 'string' ? parseJson(value) : value)

/** Reads a user of an export of Keycloak: a row for each of its apps. Those without an app are left out. */
export function readKeycloak({ line, value }: JsonItem, settings: CodeSettings): readonly FactorRow[] {
  const user = membersOf(value)
  const { credentials } = user
  const all = (Array.isArray(credentials) ? credentials : []).map(membersOf)
  const recovery = all.filter(({ type }) => type === 'recovery-authn-codes').flatMap((each) => codesOf(each))
  const name = [user.firstName, user.lastName].map((part) => textOf(part) ?? '').join(' ')
  const person: Said = { username: user.username, name, email: user.email, ...(recovery.length > 0 && { recovery }) }
  const apps = all.filter(({ type }) => type === 'otp' || type === 'totp' || type === 'hotp')
  if (apps.length > 0 && user.enabled === false) return [{ line, reason: 'the user is disabled' }]
  if (apps.length === 0) return recovery.length > 0 ? [readRow(line, person, sources.keycloak, settings)] : []
  return apps.map((app) => readRow(line, { ...person, ...appOf(app) }, sources.keycloak, settings))
}

function appOf(credential: Members): Said {
  const [data, secret] = [partOf(credential.credentialData), partOf(credential.secretData)]
  const { subType, digits, period, algorithm, secretEncoding } = data
  return {
    secret: secret.value,
    // The key is the text itself, unless the credential says otherwise.
    encoding: secretEncoding ?? 'text',
    type: subType ?? '?',
    digits,
    period,
    algorithm,
    createdAt: credential.createdDate,
  }
}

/** Older versions call SHA-512 by the name of a signature that uses it. */
const sha512 = new Set(['SHA-512', 'RS512'])

/** The codes that are left. They are hashed once, with SHA-512. */
function codesOf(credential: Members): readonly unknown[] {
  const { codes } = partOf(credential.secretData)
  const { algorithm, hashIterations = 1 } = partOf(credential.credentialData)
  const isFast = sha512.has(textOf(algorithm) || 'SHA-512') && Number(hashIterations) <= 1
  return (Array.isArray(codes) ? codes : []).map(membersOf).map(({ plainTextValue, encodedHashedValue }) => {
    if (typeof plainTextValue === 'string') return plainTextValue
    if (!isFast || typeof encodedHashedValue !== 'string') return undefined
    return { sha512: Buffer.from(encodedHashedValue, 'base64').toString('hex') }
  })
}
