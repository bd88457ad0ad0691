import { SetupError } from '../../service-handle.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import type { RequestContext } from '../request/context.ts'

/**
 * The path of `publicUrl` is what a proxy removes. Where none does, the gate leads from the address of the challenge to that same address,
 * and the browser gives up.
 *
 * @throws {SetupError} where the app itself gets the challenge at the address that browsers use.
 */
export function requireRemovedPrefix({ originalUrl, baseUrl }: FrameworkRequest, context: RequestContext): void {
  const { prefix, base, mfa } = context
  if (prefix === '' || originalUrl.split('?', 1)[0] !== base) return
  const { publicUrl = '', path } = mfa.options
  const options = [
    `publicUrl: '${new URL(publicUrl).origin}'`,
    ...(baseUrl.startsWith(prefix) ? [] : [`path: '${prefix}${path}'`]),
  ]
  throw new SetupError(
    `mfa: publicUrl ends in ${prefix}, which is for a proxy that removes it from each path, and ${base} arrived as it is. If the app is ` +
      `mounted at ${prefix}, or its routes begin with it, write ${options.join(', ')}.`,
  )
}
