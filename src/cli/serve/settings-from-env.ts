import type { SenderOption } from '../../service/engine/context/senders.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { senderHelp, senderVariables } from '../terminal/sender-variables.ts'

// Secrets are not passed as arguments: every user of the machine can read a command line.

/** How secrets are stored. */
export function secretsFromEnv(env: NodeJS.ProcessEnv): Pick<ServiceOptions, 'keys' | 'bypassCodes'> {
  const bypassCodes = readBypassCodes(env.MFA_BYPASS_CODES)
  return { ...(env.MFA_KEYS && { keys: env.MFA_KEYS }), ...(bypassCodes && { bypassCodes }) }
}

function readBypassCodes(text: string | undefined): 'readable' | 'once' | undefined {
  if (!text) return undefined
  if (text === 'readable' || text === 'once') return text
  throw new Failure('MFA_BYPASS_CODES: expected readable or once.', exitCode.usage)
}

/** What sends codes and other messages. */
export const sendersFromEnv = (env: NodeJS.ProcessEnv): Pick<ServiceOptions, SenderOption> =>
  Object.fromEntries(
    Object.entries(senderVariables).flatMap(([option, members]) => {
      const [first] = Object.values(members)
      if (!first || !env[first.name]) return []
      const values = Object.entries(members).map(([member, { name, isSwitch, needed }]) => {
        const value = env[name]
        if (needed !== undefined && !value)
          throw new Failure(`${first.name} is set, but not ${needed}. Set ${name} too.`, exitCode.usage)
        return [member, isSwitch ? value === 'true' : value] as const
      })
      return [[option, Object.fromEntries(values)]]
    }),
  )

/** Whether security mails are sent. */
export function notifyFromEnv({ MFA_NOTIFY_MAIL: mail }: NodeJS.ProcessEnv): Pick<ServiceOptions, 'notify'> {
  if (!mail) return {}
  if (mail === 'true' || mail === 'false') return { notify: { mail: mail === 'true' } }
  throw new Failure('MFA_NOTIFY_MAIL: expected true or false.', exitCode.usage)
}

/** Whether the service is an OpenID provider. Commander would take any text for yes. */
export function oidcFromEnv({ MFA_OIDC: oidc }: NodeJS.ProcessEnv): boolean {
  if (!oidc || oidc === 'true' || oidc === 'false') return oidc === 'true'
  throw new Failure('MFA_OIDC: expected true or false.', exitCode.usage)
}

export const environmentHelp = `
Environment:
${senderHelp}
  MFA_NOTIFY_MAIL          false: no security mails, only one-time codes
  MFA_KEYS                 keys that encrypt secrets, id:base64,…; by default the key file beside the database
  MFA_BYPASS_CODES         once: show a bypass code only when it is created`
