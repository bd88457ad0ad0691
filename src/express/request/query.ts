import type { FrameworkRequest } from '../framework/request.ts'

/** The query as it was sent. Not `req.query`: an app can turn that off, or have another parser read it. */
export const queryOf = ({ originalUrl }: Pick<FrameworkRequest, 'originalUrl'>): URLSearchParams =>
  new URLSearchParams(originalUrl.split('?', 2)[1])
