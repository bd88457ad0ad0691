import { useEffect, useState } from 'preact/hooks'

/** Whether the page is visible. A new object whenever it makes sense to reconnect: visible again, or back online. */
export function useVisible(): { readonly now: boolean } {
  const [visible, setVisible] = useState(() => ({ now: !document.hidden }))

  useEffect(() => {
    const renew = () => setVisible({ now: !document.hidden })
    document.addEventListener('visibilitychange', renew)
    window.addEventListener('online', renew)
    // A page from the back/forward cache has lost its connections.
    window.addEventListener('pageshow', renew)
    return () => {
      document.removeEventListener('visibilitychange', renew)
      window.removeEventListener('online', renew)
      window.removeEventListener('pageshow', renew)
    }
  }, [])

  return visible
}
