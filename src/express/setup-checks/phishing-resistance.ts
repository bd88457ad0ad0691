import type { VersionAdapter } from '../../challenge/version-adapter.ts'
import type { UnknownBrowser } from '../../contract/browser-key.ts'
import type { PhishingResistance } from '../../contract/phishing-resistance.ts'
import type { Factor, User } from '../../contract/users.ts'
import { SetupError } from '../../service-handle.ts'
import type { ResolvedPasskeys } from '../relying-party.ts'
import type { RequestContext } from '../request/context.ts'
import type { Need } from '../request/need.ts'

interface Checked {
  readonly phishingResistant: PhishingResistance
  readonly unknownBrowser: UnknownBrowser
  readonly factors: readonly Factor[]
  readonly passkeys: ResolvedPasskeys
  readonly remember: false | object
  /** Of the interface, if the options of the app say it. */
  readonly version: string | undefined
}

/**
 * Checks the options `phishingResistant` and `unknownBrowser` when the app starts. `'prefer'` is checked as well: where no user can have a passkey
 * it would do nothing, and the app would not know.
 *
 * @throws {TypeError} if no passkey could ever pass.
 */
export function checkOptions(given: Checked): void {
  const { phishingResistant: policy, unknownBrowser, remember } = given
  if (unknownBrowser !== 'number') {
    const option = `mfa: unknownBrowser: '${unknownBrowser}'`
    checkPasskeys(option, given)
    if (remember) {
      throw new TypeError(`${option} excludes remember: a remembered browser passes the gate without showing its key`)
    }
  }
  if (policy === 'off') return
  const option = `mfa: phishingResistant: '${policy}'`
  checkPasskeys(option, given)
  if (policy === 'require' && remember) {
    throw new TypeError(`${option} excludes remember: a remembered browser passes the gate without a passkey`)
  }
}

function checkPasskeys(option: string, { factors, passkeys, version }: Checked): void {
  if (!factors.includes('passkey')) throw new TypeError(`${option} needs 'passkey' among factors`)
  if (passkeys.off !== undefined) throw new TypeError(passkeysAreOff(option, passkeys.off))
  if (version === '1.3') throw new TypeError(`${option} needs version 1.4 of the service, and service.version is '1.3'`)
}

/** @throws {SetupError} if the service knows no passkeys. */
export function checkServiceFor(
  options: Pick<Checked, 'phishingResistant' | 'unknownBrowser'>,
  service: VersionAdapter,
) {
  const { phishingResistant: policy, unknownBrowser } = options
  if (policy !== 'off') checkService(`phishingResistant: '${policy}'`, service)
  if (unknownBrowser !== 'number') checkService(`unknownBrowser: '${unknownBrowser}'`, service)
}

function checkService(option: string, { version, knowsFactors }: VersionAdapter): void {
  if (knowsFactors) return
  throw new SetupError(`mfa: ${option} needs a service that speaks 1.4, and this one speaks ${version}`)
}

/** @throws {SetupError} if a route needs passkeys, and no user can have one. */
export async function checkNeed({ mfa }: RequestContext, need: Need): Promise<void> {
  for (const name of ['phishingResistant', 'unknownBrowser'] as const) {
    if (need[name] === undefined) continue
    const option = `${name}: '${need[name]}'`
    const { off } = mfa.options.passkeys
    if (off !== undefined) throw new SetupError(passkeysAreOff(`mfa: ${option} of a route`, off))
    checkService(option, await mfa.connect())
  }
}

/**
 * @param option What needs a passkey, as it was written; undefined if nothing does.
 * @throws {SetupError} if the service lacks the package that verifies passkeys.
 */
export function checkMember(option: string | undefined, member: User | undefined): void {
  if (option === undefined || !member || member.passkeys !== undefined) return
  throw new SetupError(
    `mfa: ${option} needs a service that verifies passkeys: npm install @simplewebauthn/server beside it`,
  )
}

const passkeysAreOff = (option: string, reason: string): string => `${option} needs passkeys, which are off: ${reason}`
