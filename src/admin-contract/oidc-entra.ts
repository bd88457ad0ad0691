import { z } from 'zod'

import { entraId } from './oidc-client-rules.ts'

/**
 * The clouds of Microsoft Entra, each with the host that signs its tokens and the address that answers return to.
 *
 * @see Microsoft, "External authentication method provider reference", "Microsoft Entra ID call to the external identity provider"
 */
export const entraClouds = {
  global: cloudAt('login.microsoftonline.com'),
  'us-government': cloudAt('login.microsoftonline.us'),
  china: cloudAt('login.partner.microsoftonline.cn'),
} as const

function cloudAt(host: string) {
  return { host, redirectUri: `https://${host}/common/federation/externalauthprovider` } as const
}

export const EntraCloud = z.enum(['global', 'us-government', 'china'])
export type EntraCloud = z.infer<typeof EntraCloud>

/** The id of a tenant or an application, as the admin center of Entra shows it. */
const Guid = z.string().toLowerCase().regex(entraId, 'expected an id such as 9122040d-6c67-4c5b-b112-36a304b66dad')

/** What a client of kind `entra` knows of the tenant that asks for the second step. */
export const EntraSettings = z.object({
  /** The tenant whose users sign in. */
  tenant: Guid,
  /** The application in Entra that stands for this provider: the tokens that name users are made for it. */
  application: Guid,
  cloud: EntraCloud.default('global'),
  /** What our usernames are. `oid`: the object id of the user in Entra, which is never given to somebody else. */
  username: z.enum(['preferred_username', 'oid']).default('preferred_username'),
})
export type EntraSettings = z.output<typeof EntraSettings>
