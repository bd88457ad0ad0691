import type { Rejected } from '../../service/admin/hardware-import.ts'

/** More would push what matters off the screen. */
const maxShown = 50

/** Which rows of a file were rejected, and why. */
export function printRejected(rejected: readonly Rejected[]): void {
  for (const { line, reason } of rejected.slice(0, maxShown)) console.log(`Line ${line}: ${reason}`)
  if (rejected.length > maxShown) console.log(`… and ${rejected.length - maxShown} more; all of them with --json`)
}

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
