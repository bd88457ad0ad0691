/** The text on one line, without characters that change its direction. */
export function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ').trim()
}
