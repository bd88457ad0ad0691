/**
 * Hides everything while the app is not in front: phones take a picture of it for their list of open apps, and that list
 * is for whoever holds the phone. At once and not with the next drawing, which comes too late for the picture.
 */
export function coverWhenLeft(): void {
  const cover = (left: boolean) => document.documentElement.classList.toggle('covered', left)

  document.addEventListener('visibilitychange', () => cover(document.hidden))
  addEventListener('pagehide', () => cover(true))
  addEventListener('pageshow', () => cover(document.hidden))
  // Phones take it before they say that the page is hidden. On a desk one reads here and types in another window.
  addEventListener('blur', () => cover(document.hidden || matchMedia('(pointer: coarse)').matches))
  addEventListener('focus', () => cover(document.hidden))
  // A touch says as much, where a browser forgets to.
  addEventListener('pointerdown', () => cover(document.hidden))
}
