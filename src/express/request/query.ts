import type { FrameworkRequest } from '../framework/request.ts'

type Requested = Pick<FrameworkRequest, 'originalUrl'>

/** The query as it was sent. Not `req.query`: an app can turn that off, or have another parser read it. */
export const queryOf = (req: Requested): URLSearchParams => new URLSearchParams(searchOf(req))

/** The same as text, with the question mark before it; empty where there is none. A question mark within it ends nothing. */
export const searchOf = ({ originalUrl }: Requested): string => /\?.*/s.exec(originalUrl)?.[0] ?? ''
