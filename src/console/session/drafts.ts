/** What the keys of kept drafts begin with. */
export const draftPrefix = 'second-factor.draft.'

/** Forgets what was typed in all forms. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key)
  } catch {
    // Where a browser forbids it, nothing was kept.
  }
}
