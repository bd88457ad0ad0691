/** Quotes a name for logs and messages. Invisible characters are escaped, so that different names never look the same. */
export function quoteName(name: string): string {
  return JSON.stringify(name).replace(
    /[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
