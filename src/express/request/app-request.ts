import type { FrameworkRequest } from '../framework/request.ts'
import type { AppRequest } from '../options/app.ts'

/** The request as the app's own functions get it: that of the app's framework. */
export const appRequestOf = (req: FrameworkRequest): AppRequest => (req.original ?? req) as AppRequest
