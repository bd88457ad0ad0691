import { hostname } from 'node:os'

import type { Preview } from '../../contract/device-answers.ts'
import type { Device } from '../../device/device.ts'
import { parseActivationLink } from '../../device/service-url.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { printRows } from '../terminal/print.ts'
import { ask, canPrompt } from '../terminal/prompt.ts'
import { newPin } from './pin.ts'
import type { PinSettings } from './pin.ts'
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
  const { address, code } = parseTarget(settings)
  await ensureWritable(settings.state)
  const name = (settings.name ?? `Terminal on ${hostname()}`).slice(0, 64)
  const preview = await device.preview(address, code)
  await confirmAccount(preview, settings)
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

/** Shows the account before it is added, if there is a terminal. */
async function confirmAccount({ domain, organization, user }: Preview, settings: ActivateSettings): Promise<void> {
  if (settings.yes || settings.pinStdin || !canPrompt()) return
  printRows([
    ['Account', user.username],
    ['Domain', domain.name],
    ['Organization', organization.name],
  ])
  const answer = await ask('Add this account? Type yes to continue: ')
  if (answer?.toLowerCase() !== 'yes') throw new Failure('Nothing was changed. The code is still valid.')
}

function parseTarget(settings: ActivateSettings): { address: string; code: string } {
  const link = parseActivationLink(settings.url)
  const code = settings.code ?? link?.code
  if (code === undefined) throw new Failure('An activation code is required. Add --code CODE.', exitCode.usage)
  const address = link?.serviceUrl ?? settings.url
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Failure('--url: expected an address that begins with https:// or http://.', exitCode.usage)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && settings.allowInsecureHttp !== true) {
    const advice = 'Use https, or add --allow-insecure-http on a network that you trust.'
    throw new Failure(`Over http, others on the network can read the activation code. ${advice}`, exitCode.usage)
  }
  return { address, code }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
