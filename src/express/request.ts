import type { Verified } from '../challenge/challenge.ts'

/** What mfa() adds to each request. */
export interface RequestMfa {
  /** When and how the second step was passed; undefined when it was not. */
  readonly verified: Verified | undefined
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- how Express is extended
  namespace Express {
    interface Request {
      mfa?: RequestMfa
    }
  }
}
