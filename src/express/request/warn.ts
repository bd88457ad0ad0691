import type { ResolvedOptions } from '../options.ts'

const warnedOf = new WeakMap<ResolvedOptions, Set<string>>()

/** For what requests find out: warns of each thing once. */
export function warnOnce(options: ResolvedOptions, warning: string): void {
  const warned = warnedOf.get(options) ?? new Set()
  if (warned.has(warning)) return
  warnedOf.set(options, warned.add(warning))
  warn(options, warning)
}

export function warn({ logger }: ResolvedOptions, warning: string): void {
  logger.warn(`mfa: ${warning}`)
}
