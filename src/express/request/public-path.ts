import type { HttpRequest } from '../framework/http-request.ts'

/** Whether the option `public` lists the request's path, exactly or by an entry that ends in `/*`. */
export function isPublic(req: HttpRequest, { public: entries }: { readonly public: readonly string[] }): boolean {
  const path = (req.originalUrl ?? req.url ?? '').split('?', 1)[0] ?? ''
  return entries.some((entry) => covers(entry, path))
}

/** Whether an entry covers a path, or the pattern of a route. */
export function covers(entry: string, path: string): boolean {
  if (!entry.endsWith('/*')) return path === entry
  return path.startsWith(entry.slice(0, -1)) && !isAmbiguous(path)
}

/** `/api/../admin` starts with `/api/`, but a static handler or a proxy behind the gate reads it as `/admin`. */
function isAmbiguous(path: string): boolean {
  return /[%\\#]|\/\/|\/\.\.?([;/]|$)/.test(path)
}

/** Exact: a path that merely begins with `logoutPath`, or is spelled differently, is gated. */
export function isLogout(req: HttpRequest, logoutPath: string | undefined): boolean {
  return logoutPath !== undefined && (req.originalUrl ?? req.url ?? '').split('?', 1)[0] === logoutPath
}
