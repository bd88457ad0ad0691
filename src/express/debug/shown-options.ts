import type { MfaOptions } from '../options/mfa-options.ts'
import { MfaOptionsSchema } from '../options/options.ts'
import type { ResolvedOptions } from '../options/options.ts'

export interface ShownOption {
  readonly name: string
  readonly value: string
  readonly isDefault: boolean
}

/** Replaces a secret. */
const redacted = '•••'

/**
 * The options in force. A text is shown only if its option is listed as no secret, so options that are added later are redacted
 * by default.
 */
export function shownOptions(appOptions: MfaOptions, resolved: ResolvedOptions): readonly ShownOption[] {
  const names = Object.keys(MfaOptionsSchema.shape)
  return names.map((name) => {
    const configured: unknown = Reflect.get(appOptions, name)
    const inForce: unknown = Reflect.get(resolved, name) ?? configured
    const value = name === 'service' ? serviceOf(appOptions, resolved) : valueOf(name, inForce)
    return { name, value, isDefault: configured === undefined }
  })
}

const openTexts: ReadonlySet<string> = new Set([
  'path',
  'public',
  'logoutPath',
  'logoutMethod',
  'publicUrl',
  'returnOrigins',
  'authenticatorUrl',
  'appName',
  'usernames',
  'language',
  'logo',
  'helpUrl',
  'passwordUrl',
  'factors',
  'phishingResistant',
  'unknownBrowser',
])

const openObjects: ReadonlySet<string> = new Set(['devices', 'remember', 'accent', 'views'])

function valueOf(name: string, value: unknown): string {
  if (value === undefined) return 'not set'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (openTexts.has(name)) {
    const texts = Array.isArray(value) ? value : [value]
    return texts.map((text) => withoutSecrets(String(text))).join(', ') || 'none'
  }
  if (name === 'messages' && typeof value === 'object' && value !== null) return Object.keys(value).join(', ') || 'none'
  if (typeof value !== 'object') return redacted
  return openObjects.has(name) ? JSON.stringify(value) : 'set'
}

function serviceOf({ service }: MfaOptions, { serviceUrl, serviceId }: ResolvedOptions): string {
  if (serviceUrl === undefined) return 'a handle, such as embedded() returns'
  const from = service === undefined ? 'from the environment: ' : ''
  return `${from}${withoutSecrets(serviceUrl)}, domain ${serviceId}, API key ${redacted}`
}

/** Removes from an address who signs in there and what it asks for. */
function withoutSecrets(address: string): string {
  const [path = '', ...rest] = address.split(/[?#]/, 2)
  const query = rest.length > 0 ? `?${redacted}` : ''
  return path.replace(/^(\w+:\/\/)[^/]*@/, `$1${redacted}@`) + query
}

/** Takes the secrets that we know out of a text that others wrote. */
export function createRedactor({ service }: MfaOptions, environment: NodeJS.ProcessEnv): (text: string) => string {
  const remote = service && 'apiKey' in service ? service : undefined
  const { password = '' } = (remote && URL.parse(remote.baseUrl)) ?? {}
  const secrets = [remote?.apiKey, environment['MFA_API_KEY'], password, decodeURIComponent(password)]
  // Shorter values occur in many words.
  const redactedTexts = secrets.filter((secret) => secret !== undefined && secret.length >= 8)
  return (text) => redactedTexts.reduce<string>((output, secret = '') => output.replaceAll(secret, redacted), text)
}
