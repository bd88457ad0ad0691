import { z } from 'zod'

import { Vendor } from '../../../contract/media-type.ts'

/** The path of the REST interface below the service's address; may be empty. */
const BasePath = z.string().regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must begin with a slash and not end with one')

/** Words that clients of the REST interface are configured or compiled with. */
export const InterfaceWords = z.strictObject({
  /** The scheme word of the Authorization header. */
  scheme: Vendor.shape.scheme.unwrap().optional(),
  /** `x` stands for `application/vnd.x.v1+json`. */
  mediaType: Vendor.shape.mediaType.unwrap().optional(),
  basePath: BasePath.optional(),
})
export type InterfaceWords = z.output<typeof InterfaceWords>

/** The words in use. */
export interface ServedInterface {
  readonly vendor: Vendor
  readonly basePath: string
}

/** Options take precedence over what `init` stored in the database. */
export function servedInterface(configured: InterfaceWords, stored: InterfaceWords): ServedInterface {
  const [scheme, mediaType] = [configured.scheme ?? stored.scheme, configured.mediaType ?? stored.mediaType]
  return {
    vendor: Vendor.parse({ scheme, mediaType }),
    basePath: configured.basePath ?? stored.basePath ?? '/api',
  }
}
