/**
 * A key that is equal for usernames an app may treat as the same: it ignores case, accents and other marks, invisible
 * characters, width, and spaces. It detects look-alikes within an organization and is never used as a name.
 */
export function nameKey(username: string): string {
  return (
    username
      .normalize('NFKD')
      .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
      // In both directions: some letters share a capital, such as ſ and s, and some a small letter, such as K and k.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKC')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

/**
 * Web sessions store the epoch of the second step they passed, and stay verified only while the user still has it. Compared for
 * equality only: a counter would return to an old value with an older backup.
 */
export function epochOf({ id, epoch }: { readonly id: string; readonly epoch: string | null }): string {
  // A user that was deleted and created again has a different id.
  return epoch ?? id
}
