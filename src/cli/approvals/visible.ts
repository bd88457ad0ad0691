/**
 * Shows characters that nobody sees, or that change what others look like, as their number: in a terminal, a record must not look like
 * another one. Each is escaped as in JavaScript, so `\u{202e}` reverses nothing.
 */
export const visible = (text: string): string =>
  text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) =>
    character === ' ' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
