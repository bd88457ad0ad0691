/** A name for logs and messages: what cannot be seen in it is written as its number, so that two names never look the same. */
export function quoteName(name: string): string {
  return JSON.stringify(name).replace(
    /[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
