/** A name that the owner recognizes in a list of devices, such as "Firefox on Android". */
export function deviceName(userAgent: string): string {
  const browser = firstMatch(userAgent, [
    ['Edge', /Edg/],
    ['Opera', /OPR\//],
    ['Samsung Internet', /SamsungBrowser/],
    ['Firefox', /Firefox|FxiOS/],
    ['Chrome', /Chrome|CriOS/],
    ['Safari', /Safari/],
  ])
  const system = firstMatch(userAgent, [
    ['Android', /Android/],
    ['iPhone', /iPhone/],
    ['iPad', /iPad/],
    ['Windows', /Windows/],
    ['macOS', /Mac OS/],
    ['ChromeOS', /CrOS/],
    ['Linux', /Linux/],
  ])
  return [browser ?? 'Browser', system].filter(Boolean).join(' on ')
}

/** The order matters, as the user agent of most browsers contains the names of others. */
function firstMatch(text: string, patterns: readonly (readonly [string, RegExp])[]): string | undefined {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0]
}
