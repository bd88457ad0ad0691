/** The name of a file that is exported, such as `people-2026-11-23.csv`. */
export const exportName = (subject: string, format: 'csv' | 'jsonl', now: number): string =>
  `${subject}-${new Date(now * 1000).toISOString().slice(0, 10)}.${format}`

/** What an export is limited to, for the audit trail. It contains no names, so values that may be one are left out. */
export function filterFact(filter: Readonly<Record<string, string | undefined>>, names: readonly string[]): string {
  return Object.entries(filter)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${names.includes(name) ? '' : value}`]))
    .join(' ')
}
