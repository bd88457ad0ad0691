/** Reads the token of an invitation's link, and removes it from the address bar and the history at once. */
export function takeInvitation(): string | undefined {
  const token = location.hash.slice(1)
  if (token === '') return undefined
  // Where the console then does not load, the page is loaded again with it.
  document.querySelector('.not-loaded')?.setAttribute('action', location.href)
  history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
