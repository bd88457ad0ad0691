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
