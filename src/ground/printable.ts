/** Replaces characters that could move the cursor, color the terminal or reverse the line, in text from others. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
}

/** Keeps the text direction of a name within a sentence (Unicode Bidirectional Algorithm, section 2.4). */
export function isolated(text: string): string {
  return `\u2068${printable(text)}\u2069`
}
