/**
 * Hides the content while the app is in the background: phones take a screenshot for the list of open apps, which anyone who
 * holds the phone can see. It is hidden at once, as the next render would be too late for the screenshot.
 */
export function coverInBackground(): void {
  const cover = (isCovered: boolean) => document.documentElement.classList.toggle('covered', isCovered)

  document.addEventListener('visibilitychange', () => cover(document.hidden))
  addEventListener('pagehide', () => cover(true))
  addEventListener('pageshow', () => cover(document.hidden))
  // Phones take the screenshot before they report that the page is hidden. On a desktop, people read here and type elsewhere.
  addEventListener('blur', () => cover(document.hidden || matchMedia('(pointer: coarse)').matches))
  addEventListener('focus', () => cover(document.hidden))
  // Some browsers do not report the return: a touch shows it as well.
  addEventListener('pointerdown', () => cover(document.hidden))
}
