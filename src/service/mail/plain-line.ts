/** On one line, and without characters that change the direction of a line. */
export function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ').trim()
}
