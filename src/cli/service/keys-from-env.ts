import type { ServiceOptions } from '../../service/options.ts'

/** Keys are no arguments: every user of the machine can read those. */
export function keysFromEnv(env: NodeJS.ProcessEnv): Pick<ServiceOptions, 'keys'> {
  return env.MFA_KEYS ? { keys: env.MFA_KEYS } : {}
}
