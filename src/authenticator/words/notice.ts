/** All a notification says: nothing that a locked screen may not show to others. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** In place of these for a change of factors. */
  readonly change: { readonly title: string; readonly body: string }
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
}

/** Leaves the words of notifications where the service worker finds them: it speaks while the page is closed. */
export async function keepNotice(notice: Notice): Promise<void> {
  // Not there on pages that are not secure, which cannot be notified either.
  const cache = await globalThis.caches?.open(`second-factor notice ${new URL('.', location.href).href}`)
  await cache?.put('./notice', Response.json(notice))
}
