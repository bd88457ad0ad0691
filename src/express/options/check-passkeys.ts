import type { UnknownBrowser } from '../../contract/browser-key.ts'
import type { PhishingResistance } from '../../contract/phishing-resistance.ts'
import type { Factor } from '../../contract/factor.ts'
import type { ResolvedPasskeys } from './relying-party.ts'

export interface Checked {
  readonly phishingResistant: PhishingResistance
  readonly unknownBrowser: UnknownBrowser
  readonly factors: readonly Factor[]
  readonly passkeys: ResolvedPasskeys
  readonly remember: false | object
  readonly importFactors?: unknown
  /** The version of the interface, if the options of the app say it. */
  readonly version: string | undefined
}

/**
 * Checks the options `phishingResistant` and `unknownBrowser` when the app starts. `'prefer'` is checked as well: where no user can have a passkey
 * it would do nothing, and the app would not know.
 *
 * @throws {TypeError} if no passkey could ever pass.
 */
export function checkOptions(options: Checked): void {
  const { phishingResistant: policy, unknownBrowser, remember } = options
  if (options.importFactors) checkImport(options)
  if (unknownBrowser !== 'number') {
    const option = `mfa: unknownBrowser: '${unknownBrowser}'`
    checkPasskeys(option, options)
    if (remember) {
      throw new TypeError(`${option} excludes remember: a remembered browser passes the gate without showing its key`)
    }
  }
  if (policy === 'off') return
  const option = `mfa: phishingResistant: '${policy}'`
  checkPasskeys(option, options)
  if (policy === 'require' && remember) {
    throw new TypeError(`${option} excludes remember: a remembered browser passes the gate without a passkey`)
  }
}

/** Imported factors are codes: where none passes, no user could ever import them. */
function checkImport({ factors, phishingResistant, unknownBrowser, version }: Checked): void {
  if (!factors.includes('otp')) throw new TypeError("mfa: importFactors needs 'otp' among factors")
  if (phishingResistant === 'require') throw new TypeError("mfa: phishingResistant: 'require' excludes importFactors")
  if (unknownBrowser !== 'number')
    throw new TypeError(
      `mfa: unknownBrowser: '${unknownBrowser}' excludes importFactors: no code passes in a new browser`,
    )
  if (version === '1.3')
    throw new TypeError("mfa: importFactors needs version 1.4 of the service, and service.version is '1.3'")
}

function checkPasskeys(option: string, { factors, passkeys, version }: Checked): void {
  if (!factors.includes('passkey')) throw new TypeError(`${option} needs 'passkey' among factors`)
  if (passkeys.off !== undefined) throw new TypeError(passkeysAreOff(option, passkeys.off))
  if (version === '1.3') throw new TypeError(`${option} needs version 1.4 of the service, and service.version is '1.3'`)
}

export const passkeysAreOff = (option: string, reason: string): string =>
  `${option} needs passkeys, which are off: ${reason}`
