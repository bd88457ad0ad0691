import type { Command } from 'commander'
import { Option } from 'commander'
import type { z } from 'zod'

import type { OidcClient } from '../../admin-contract/oidc-clients.ts'
import {
  OidcClientAuthentication,
  OidcClientChanges,
  OidcClientKind,
  OidcPkce,
  OidcScope,
} from '../../admin-contract/oidc-client-settings.ts'
import type { CibaSettings } from '../../admin-contract/oidc-ciba.ts'
import { EntraCloud, EntraSettings } from '../../admin-contract/oidc-entra.ts'
import { parseJson } from '../../contract/validate.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { parseSwitch } from '../terminal/parse.ts'
import { readWholeFile } from '../terminal/read-file.ts'

/** The settings of a client as they are typed. */
export interface ClientSettings {
  readonly redirectUri?: readonly string[]
  readonly postLogoutRedirectUri?: readonly string[]
  readonly authentication?: OidcClientAuthentication
  readonly native?: boolean
  readonly pkce?: OidcPkce
  readonly jwks?: string
  readonly jwksUri?: string
  readonly resource?: readonly string[]
  readonly refreshTokens?: boolean
  readonly scope?: readonly string[]
  readonly showsNumber?: boolean
  readonly notificationEndpoint?: string
  readonly entraTenant?: string
  readonly entraApplication?: string
  readonly entraCloud?: EntraSettings['cloud']
  readonly entraUsername?: EntraSettings['username']
}

/** Bytes; ten keys of 8192 bits are much shorter. */
const largestFile = 64 * 1024

export const withKind = (command: Command): Command =>
  command.addOption(
    new Option(
      '--kind <kind>',
      'external: second step for another provider; sign-in: whole sign-in by passkey; entra: Microsoft Entra; ciba: without a browser',
    )
      .choices(OidcClientKind.options)
      .makeOptionMandatory(),
  )

export function withSettings(command: Command): Command {
  return command
    .option('--redirect-uri <uri...>', 'addresses that users return to, compared exactly; https, or loopback if native')
    .option('--post-logout-redirect-uri <uri...>', 'addresses that users return to after signing out')
    .addOption(
      new Option('--authentication <method>', 'how the client authenticates; client_secret_basic by default').choices(
        OidcClientAuthentication.options,
      ),
    )
    .option('--native <on|off>', 'it runs on the user’s machine, so loopback addresses are accepted', parseSwitch)
    .addOption(
      new Option(
        '--pkce <rule>',
        'required, the default, or nonce: without PKCE it has to send a nonce and verify it; not for native clients',
      ).choices(OidcPkce.options),
    )
    .option('--jwks <file>', 'file with its public keys as a JWK Set, or "none"')
    .option('--jwks-uri <uri>', 'address of its public keys instead, or "none"')
    .option('--resource <uri...>', 'addresses of APIs that read its access tokens themselves, or "none"')
    .option('--refresh-tokens <on|off>', 'whether it gets refresh tokens', parseSwitch)
    .addOption(
      new Option('--scope <scope...>', 'what it may read besides openid; none by default').choices([
        ...OidcScope.options,
        'none',
      ]),
    )
    .option(
      '--shows-number <on|off>',
      'of kind ciba: the person sees a screen of the client, which shows the number',
      parseSwitch,
    )
    .option(
      '--notification-endpoint <uri>',
      'of kind ciba: https address that is told when the person has answered, or "none"',
    )
    .option('--entra-tenant <id>', 'id of the tenant of Microsoft Entra')
    .option('--entra-application <id>', 'id of the application in Entra that stands for this service')
    .addOption(
      new Option('--entra-cloud <cloud>', 'the cloud of the tenant; global by default').choices(EntraCloud.options),
    )
    .addOption(
      new Option('--entra-username <claim>', 'what usernames here are in Entra; preferred_username by default').choices(
        EntraSettings.shape.username.unwrap().options,
      ),
    )
}

/** @param before The client that is changed, if there is one. */
export async function settingsOf(
  settings: ClientSettings,
  before?: Pick<OidcClient, 'entra' | 'ciba'>,
): Promise<OidcClientChanges> {
  const { redirectUri, postLogoutRedirectUri, authentication, native, jwks, jwksUri, scope } = settings
  const { resource, refreshTokens, pkce } = settings
  const [entra, ciba] = [entraOf(settings), cibaOf(settings)]
  return {
    ...(redirectUri && { redirectUris: [...redirectUri] }),
    ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri.filter((uri) => uri !== 'none') }),
    ...(authentication && { authentication }),
    ...(native !== undefined && { native }),
    ...(pkce && { pkce }),
    ...(jwks !== undefined && { jwks: jwks === 'none' ? null : await readKeys(jwks) }),
    ...(jwksUri !== undefined && { jwksUri: jwksUri === 'none' ? null : jwksUri }),
    ...(resource && { resources: resource.filter((uri) => uri !== 'none') }),
    ...(refreshTokens !== undefined && { refreshTokens }),
    ...(scope && { scopes: OidcScope.options.filter((name) => scope.includes(name)) }),
    ...(ciba && { ciba: { ...before?.ciba, ...ciba } }),
    ...(entra && { entra: { ...before?.entra, ...entra } as z.input<typeof EntraSettings> }),
  }
}

/** @returns undefined where none of them was typed. */
function cibaOf({ showsNumber, notificationEndpoint: endpoint }: ClientSettings): Partial<CibaSettings> | undefined {
  const ciba = {
    ...(showsNumber !== undefined && { showsNumber }),
    ...(endpoint !== undefined && { notificationEndpoint: endpoint === 'none' ? null : endpoint }),
  }
  return Object.keys(ciba).length === 0 ? undefined : ciba
}

/** @returns undefined where none of them was typed. */
function entraOf(settings: ClientSettings): Partial<EntraSettings> | undefined {
  const { entraTenant: tenant, entraApplication: application, entraCloud: cloud, entraUsername: username } = settings
  const entra = {
    ...(tenant !== undefined && { tenant }),
    ...(application !== undefined && { application }),
    ...(cloud && { cloud }),
    ...(username && { username }),
  }
  return Object.keys(entra).length === 0 ? undefined : entra
}

async function readKeys(file: string): Promise<OidcClientChanges['jwks']> {
  const { success, data, error } = OidcClientChanges.shape.jwks.safeParse(
    parseJson((await readWholeFile(file, largestFile)).toString()),
  )
  if (success && data) return data
  const [issue] = error?.issues ?? []
  throw new Failure(`--jwks: expected a JWK Set of public keys: ${issue?.message ?? 'it is none'}`, exitCode.usage)
}
