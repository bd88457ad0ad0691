import type { ResolvedOptions } from '../options/options.ts'

const warnedOf = new WeakMap<ResolvedOptions, Set<string>>()

/** Warns once of each thing that requests find out. @param kind Names the thing where the warning names a request. */
export function warnOnce(options: ResolvedOptions, warning: string, kind: string = warning): void {
  if (wasWarned(options, kind)) return
  warnedOf.set(options, (warnedOf.get(options) ?? new Set()).add(kind))
  warn(options, warning)
}

/** Whether `warnOnce` has warned of this kind. */
export function wasWarned(options: ResolvedOptions, kind: string): boolean {
  return warnedOf.get(options)?.has(kind) ?? false
}

export function warn({ logger }: ResolvedOptions, warning: string): void {
  logger.warn(`mfa: ${warning}`)
}
