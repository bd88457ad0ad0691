import { hostname } from 'node:os'

import type { Preview } from '../../contract/device.ts'
import type { Device } from '../../device/device.ts'
import { parseActivationLink } from '../../device/service-url.ts'
import { ask, canAsk } from './ask.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { newPin } from './pin.ts'
import type { PinSettings } from './pin.ts'
import { printRows } from './print.ts'
import { ensureWritable, saveAccounts } from './state-file.ts'

export interface ActivateSettings extends PinSettings {
  /** The service's public address, or a whole activation link. */
  readonly url: string
  readonly code?: string
  readonly state: string
  readonly name?: string
  readonly allowInsecureHttp?: boolean
  readonly yes?: boolean
}

/** Adds an account to the state file. */
export async function activate(device: Device, settings: ActivateSettings): Promise<void> {
  const { address, code } = target(settings)
  await ensureWritable(settings.state)
  const name = (settings.name ?? `Terminal on ${hostname()}`).slice(0, 64)
  const preview = await device.preview(address, code)
  await confirmJoining(preview, settings)
  const { keyType } = preview.domain
  const pin = keyType === 'NONE' ? undefined : await newPin(keyType, settings)
  const account = await device.activate(address, code, { name, preview, pin })
  await saveAccounts(settings.state, [account])
  printRows([
    ['Added', account.domain.name],
    ['Organization', account.organization.name],
    ['User', account.user.username],
    ['Device', account.id],
    ['Next', `second-factor device watch --state ${settings.state}`],
  ])
}

/** Shows what would be joined before it is; a script has read it on the web page, or trusts who wrote it. */
async function confirmJoining({ domain, organization, user }: Preview, settings: ActivateSettings): Promise<void> {
  if (settings.yes || settings.pinStdin || !canAsk()) return
  printRows([
    ['Account', user.username],
    ['Domain', domain.name],
    ['Organization', organization.name],
  ])
  const answer = await ask('Add this account? Type yes to go on: ')
  if (answer?.toLowerCase() !== 'yes') throw new Failure('Nothing was changed. The code can still be used.')
}

function target(settings: ActivateSettings): { address: string; code: string } {
  const link = parseActivationLink(settings.url)
  const code = settings.code ?? link?.code
  if (code === undefined) throw new Failure('An activation code is needed. Add --code CODE.', exitCode.usage)
  const address = link?.serviceUrl ?? settings.url
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Failure('--url is no address. It begins with https:// or http://.', exitCode.usage)
  }
  if (url.protocol === 'http:' && !isThisMachine(url.hostname) && settings.allowInsecureHttp !== true) {
    const advice = 'Use https, or add --allow-insecure-http where nobody can listen.'
    throw new Failure(`Over http anybody on the way could read the code. ${advice}`, exitCode.usage)
  }
  return { address, code }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
