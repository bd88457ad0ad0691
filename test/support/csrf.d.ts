/** What the tests use of two packages that bring no types. */
declare module 'csurf' {
  import type { RequestHandler } from 'express'

  export default function csurf(options?: { readonly cookie?: boolean }): RequestHandler
}

declare module 'lusca' {
  import type { RequestHandler } from 'express'

  export function csrf(options?: { readonly blocklist?: readonly string[] }): RequestHandler
}
