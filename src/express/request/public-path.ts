import type { IncomingMessage } from 'node:http'

/** Whether the request's path is listed in the option `public`: as it is, or below an entry that ends in `/*`. */
export function isPublic(
  req: IncomingMessage & { readonly originalUrl?: string },
  { public: entries }: { readonly public: readonly string[] },
): boolean {
  const path = (req.originalUrl ?? req.url ?? '').split('?', 1)[0] ?? ''
  return entries.some((entry) => covers(entry, path))
}

/** The same of a path, or of the pattern that a route is declared with. */
export function covers(entry: string, path: string): boolean {
  if (!entry.endsWith('/*')) return path === entry
  return path.startsWith(entry.slice(0, -1)) && !couldMeanAnother(path)
}

/** `/api/../admin` begins with `/api/`, and a static handler or a proxy behind the gate reads it as `/admin`. */
function couldMeanAnother(path: string): boolean {
  return /[%\\#]|\/\/|\/\.\.?([;/]|$)/.test(path)
}

/** Exact: a path that merely begins with `logoutPath`, or is spelled differently, is gated. */
export function isLogout(
  req: IncomingMessage & { readonly originalUrl?: string },
  logoutPath: string | undefined,
): boolean {
  return logoutPath !== undefined && (req.originalUrl ?? req.url ?? '').split('?', 1)[0] === logoutPath
}
