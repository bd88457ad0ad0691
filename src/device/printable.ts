/** Text of others cannot move the cursor, colour the screen or turn the line around. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
}
