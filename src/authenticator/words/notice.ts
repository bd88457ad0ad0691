/** The texts of notifications: nothing that others must not see on a locked screen. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** Replaces title and body for a change of factors. */
  readonly change: { readonly title: string; readonly body: string }
  /** The same for a call to the help desk. */
  readonly call: { readonly title: string; readonly body: string }
  /** The same for an action to approve. */
  readonly approval: { readonly title: string; readonly body: string }
  /** The same for a test. */
  readonly test: { readonly title: string; readonly body: string }
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
}

/** Stores the texts of notifications for the service worker, which shows them while the page is closed. */
export async function storeNotice(notice: Notice): Promise<void> {
  // Undefined on insecure pages, which cannot show notifications either.
  const cache = await globalThis.caches?.open(`second-factor notice ${new URL('.', location.href).href}`)
  await cache?.put('./notice', Response.json(notice))
}
