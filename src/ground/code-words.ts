/** The hashes of codes (RFC 6238 section 1.2). */
type CodeAlgorithm = 'SHA1' | 'SHA256' | 'SHA512'

/** The hash of a token in the words of the trade, such as `SHA-256`, `HMAC-SHA256` and `HmacSHA256`; undefined for another one. */
export function algorithmNamed(text: string): CodeAlgorithm | undefined {
  const [, size] = /^(?:hmac)?sha(1|256|512)$/.exec(text.toLowerCase().replace(/[\s_-]/g, '')) ?? []
  return size === undefined ? undefined : (`SHA${size}` as CodeAlgorithm)
}

/** The next counter of a token, 0 where the file has none (RFC 4226 section 5.1); the text itself if it is no number. */
export const counterIn = (text: string): number | string => (/^\d{0,10}$/.test(text) ? Number(text) : text)

/** A number of a file, such as `30`, `30 s` and `30 seconds`; the text itself if it is none, which the checks of the row reject. */
export function numberIn(text: string): number | string {
  const [, digits] = /^(\d{1,6}) ?(?:s|sec|secs|seconds?|digits?)?$/i.exec(text.trim()) ?? []
  return digits === undefined ? text : Number(digits)
}
