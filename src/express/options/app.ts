import type { NextFunction, Request, Response } from 'express'

/** The request that options are called with. `user` is what the app's own login set. */
export type AppRequest = Request & { readonly user?: object | undefined; readonly session?: object | null | undefined }

/** The app's own logout handler. If it takes more than `req`, it answers itself or calls `next()`. */
export type Logout = (req: AppRequest, res: Response, next: NextFunction) => unknown

export interface Logger {
  /** Receives events that are not a problem, such as a request that the browser aborted. Without it, they are not logged. */
  debug?(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export type Maybe<T> = T | null | undefined | false

export type OrPromise<T> = T | Promise<T>
