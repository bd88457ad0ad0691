import { Command, Option } from 'commander'

import type { Client } from '../../client/client.ts'
import { createClient } from '../../client/client.ts'
import { ApiError, UnreachableError } from '../../client/errors.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { commandClock } from '../../ground/clock.ts'
import { examplesHelp } from '../admin/command.ts'
import { exitCode, Failure } from '../terminal/failure.ts'

/** Options of every command that calls the REST interface of a running service. */
export interface ConnectionSettings {
  readonly baseUrl: string
  readonly scheme?: string
  readonly mediaType?: string
  readonly allowInsecureHttp?: boolean
}

/** A command that calls a running service. Its API key is no option: every user of the machine can read a command line. */
export const remoteCommand = (name: string, description: string, examples: readonly [string, string]): Command =>
  new Command(name)
    .description(description)
    .addOption(
      new Option('--base-url <url>', 'address of the REST interface, such as https://mfa.example/api')
        .env('MFA_BASE_URL')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--scheme <word>', 'scheme of the Authorization header, if it is not Service').env('MFA_SCHEME'),
    )
    .addOption(
      new Option('--media-type <word>', 'vendor word of the media type, if it is not service').env('MFA_MEDIA_TYPE'),
    )
    .option('--allow-insecure-http', 'allow http to another machine; others on the network can then read the API key')
    .addHelpText('after', examplesHelp(examples))

/** The domain whose approvals a command reads or creates. */
export const remoteDomainOption = (): Option =>
  new Option('--domain <id>', 'id of the domain').env('MFA_DOMAIN_ID').makeOptionMandatory()

export const apiKeyHelp = `
Environment:
  MFA_API_KEY              API key of the organization; MFA_API_KEY_FILE names a file that contains it`

/** @throws {Failure} where an option or the API key is missing or wrong. */
export function connect({ baseUrl, scheme, mediaType, allowInsecureHttp = false }: ConnectionSettings): Client {
  const { MFA_API_KEY: apiKey } = process.env
  if (!apiKey) throw new Failure('MFA_API_KEY is not set. Set it, or MFA_API_KEY_FILE.', exitCode.usage)
  const vendor = { ...(scheme !== undefined && { scheme }), ...(mediaType !== undefined && { mediaType }) }
  try {
    // A command that waits while no connection is open, such as for a service that restarts, must not end.
    return createClient({ baseUrl, apiKey, vendor, allowInsecureHttp, clock: commandClock })
  } catch (error) {
    throw error instanceof TypeError ? new Failure(asTyped(error.message), exitCode.usage, { cause: error }) : error
  }
}

/** `createClient: baseUrl must be …` in the words of the command line. */
const asTyped = (message: string): string =>
  `${message
    .replace(/^createClient: /, '')
    .replaceAll('allowInsecureHttp: true', '--allow-insecure-http')
    .replaceAll('baseUrl', '--base-url')
    .replaceAll('apiKey', 'MFA_API_KEY')
    .replaceAll('vendor.scheme', '--scheme')
    .replaceAll('vendor.mediaType', '--media-type')}.`

/** An error of a call as one line: what failed, then what to do. */
export function asFailure(error: unknown, code: number = exitCode.failed): unknown {
  if (error instanceof UnreachableError) return new Failure(unreachable[error.reason], code, { cause: error })
  if (!(error instanceof ApiError)) return error
  const sentence = sentences[error.code] ?? `The service returned an error: ${error.code}. ${error.message}`
  return new Failure(sentence, code, { cause: error })
}

const notResponding = "The service isn't responding. Check --base-url and the connection, then try again."

const unreachable: Readonly<Record<UnreachableError['reason'], string>> = {
  network: notResponding,
  timeout: notResponding,
  no_room: notResponding,
  bad_response: 'The response is not that of this interface. Check --base-url, which includes the prefix such as /api.',
}

const sentences: Partial<Record<ErrorCode, string>> = {
  'api.error.unauthorized': 'The service rejects the API key. Check MFA_API_KEY.',
  'api.error.forbidden': "The API key may not do this. Use one with the administrator's role.",
  'api.error.notfound.domain': 'Unknown domain. Check --domain.',
  'api.error.notfound.operation': 'This service knows no approvals. Check --base-url, and the version of the service.',
  'api.error.notacceptable': 'This service knows no approvals. Check --base-url, and the version of the service.',
  'api.error.notfound.user': 'A person who is asked, or who asks, is not a user of the domain. Check the names.',
  'api.error.notfound.token': 'A person who is asked has no device in the domain. They have to set one up first.',
  'api.error.forbidden.requester':
    'A person who is asked said of an earlier request that they had not asked for it. Ask again in 24 hours, or have them lift the block on their device.',
  'api.error.invalid.requestedby': '--requested-by: expected a user of the domain who is not one of the approvers.',
  'api.error.invalid.approvers': '--approvers: expected up to 20 different users of the domain.',
  'api.error.invalid.after': '--after: expected the id of an approval of the domain.',
  'api.error.unavailable': "The service isn't ready. Try again in a moment.",
  'api.error.internal': 'The service reported an internal error. Try again in a moment.',
}
