/** Far more than any secret has, characters. */
const maxCharacters = 4096

/** @returns undefined for invalid or empty base64. */
export function base64(text: string): Buffer | undefined {
  const compact = text.replace(/\s/g, '')
  if (compact.length > maxCharacters) return undefined
  return /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(compact)
    ? Buffer.from(compact, 'base64')
    : undefined
}
