import type { VersionAdapter } from '../../challenge/version-adapter.ts'
import type { User } from '../../contract/users.ts'
import { SetupError } from '../../service-handle.ts'
import type { RequestContext } from '../request/context.ts'
import type { Need } from '../request/need.ts'
import { mayHavePasskeys } from '../request/passkeys.ts'
import { warnOnce } from '../request/warn.ts'
import type { WebRequest } from '../request/web-request.ts'
import type { Checked } from '../options/check-passkeys.ts'
import { passkeysAreOff } from '../options/check-passkeys.ts'

/** @throws {SetupError} if the service knows neither passkeys nor imported factors. */
export function checkServiceFor(
  options: Pick<Checked, 'phishingResistant' | 'unknownBrowser' | 'importFactors'>,
  service: VersionAdapter,
) {
  const { phishingResistant: policy, unknownBrowser, importFactors } = options
  if (importFactors) checkService('importFactors', service)
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

/** Says once what to install, where users of this app could have passkeys and the service cannot verify any. */
export function warnOfNoPasskeys(
  request: Pick<WebRequest, 'req' | 'context'>,
  service: VersionAdapter,
  member: User | undefined,
): void {
  if (!member || member.passkeys !== undefined || !service.knowsFactors || !mayHavePasskeys(request)) return
  warnOnce(
    request.context.mfa.options,
    'no passkeys: npm install @simplewebauthn/server beside the service. passkeys: false leaves out this line.',
    'no passkeys',
  )
}
