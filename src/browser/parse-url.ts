/** `URL.parse()` is missing in browsers from before 2024. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    const url = new URL(text, base)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}
