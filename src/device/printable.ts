/** Replaces characters that could move the cursor, color the terminal or reverse the line, in text from others. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
}
