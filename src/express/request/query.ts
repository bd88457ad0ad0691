import type { FrameworkRequest } from '../framework/request.ts'

/** The query as it was sent. Not `req.query`: an app can turn that off, or have another parser read it. */
export function queryOf({ originalUrl }: Pick<FrameworkRequest, 'originalUrl'>): URLSearchParams {
  const [, ...parts] = originalUrl.split('?')
  return new URLSearchParams(parts.join('?'))
}
