import type { ServiceOptions } from '../../service/options.ts'
import { Failure } from '../device/failure.ts'
import { exitCode } from '../device/exit-codes.ts'

/** How secrets are kept. Keys are no arguments: every user of the machine can read those. */
export function secretsFromEnv(env: NodeJS.ProcessEnv): Pick<ServiceOptions, 'keys' | 'bypassCodes'> {
  const bypassCodes = readBypassCodes(env.MFA_BYPASS_CODES)
  return { ...(env.MFA_KEYS && { keys: env.MFA_KEYS }), ...(bypassCodes && { bypassCodes }) }
}

function readBypassCodes(text: string | undefined): 'readable' | 'once' | undefined {
  if (!text) return undefined
  if (text === 'readable' || text === 'once') return text
  throw new Failure('MFA_BYPASS_CODES is readable or once.', exitCode.usage)
}

export const secretsHelp = `
  MFA_KEYS                 what secrets are encrypted with, id:base64,…; without it the key file beside the database
  MFA_BYPASS_CODES         once: bypass codes are shown only when they are made`
