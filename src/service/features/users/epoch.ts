/**
 * Web sessions store the epoch of the second step they passed, and stay verified only while the user still has it. Compared for
 * equality only: a counter would return to an old value with an older backup.
 */
export function epochOf({ id, epoch }: { readonly id: string; readonly epoch: string | null }): string {
  // A user that was deleted and created again has a different id.
  return epoch ?? id
}
