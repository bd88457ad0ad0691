/**
 * What web sessions remember beside a second step that was passed. They count only as long as their user has the same
 * one. Compared for equality alone: a count would come back with an older backup.
 */
export function epochOf({ id, epoch }: { readonly id: string; readonly epoch: string | null }): string {
  // A user that was deleted and made again has another id.
  return epoch ?? id
}
