/**
 * What usernames have in common that an app may take for the same: case, accents and other marks, characters that cannot
 * be seen, width, and spaces. It tells look-alikes among the names of one organization; it is no name of anybody.
 */
export function nameKey(username: string): string {
  return (
    username
      .normalize('NFKD')
      .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
      // Both ways: some letters have the same capital, such as ſ and s, and some the same small letter, such as K and k.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKC')
      .replace(/\s+/g, ' ')
      .trim()
  )
}
