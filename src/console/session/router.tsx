import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'

/** The person's place: a path below the console, such as `administrators`, and the values of the query. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

export interface Router {
  readonly place: Place
  /** The address of a place, for links. */
  readonly addressOf: (path: string) => string
  /** @param replace Whether the present place is left out of the browser's history. */
  readonly go: (path: string, replace?: boolean) => void
}

const Routed = createContext<Router | undefined>(undefined)

/** Shows places of the console without reloading the page. @param mount The path of the console, with a slash at the end. */
export function RouterProvider({ mount, children }: { readonly mount: string; readonly children: ComponentChildren }) {
  const [href, setHref] = useState(location.href)

  useEffect(() => {
    const follow = () => setHref(location.href)
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])

  const router = useMemo((): Router => {
    const { pathname, searchParams } = new URL(href)
    return {
      place: { path: pathname.slice(mount.length).replace(/\/$/, ''), query: searchParams },
      addressOf: (path) => mount + path,
      go(path, replace = false) {
        history[replace ? 'replaceState' : 'pushState'](null, '', mount + path)
        setHref(location.href)
        if (!replace) scrollTo(0, 0)
      },
    }
  }, [href, mount])
  return <Routed.Provider value={router}>{children}</Routed.Provider>
}

export function useRouter(): Router {
  const router = useContext(Routed)
  if (!router) throw new TypeError('useRouter needs a RouterProvider above it')
  return router
}

/** Leads on after an action, unless the person has left the screen while it ran. */
export function useLeadOn(): Router['go'] {
  const { go } = useRouter()
  const isLeft = useRef(false)
  useEffect(() => () => void (isLeft.current = true), [])
  return (path, replace) => {
    if (!isLeft.current) go(path, replace)
  }
}

interface LinkProps {
  /** A path below the console. */
  readonly to: string
  readonly class?: string
  readonly 'aria-current'?: 'page' | 'true' | undefined
  readonly 'aria-label'?: string
  readonly children: ComponentChildren
}

/** A link to a place of the console. Other ways to open it, such as in a new tab, are the browser's. */
export function Link({ to, ...attributes }: LinkProps) {
  const { addressOf, go } = useRouter()
  return (
    <a
      {...attributes}
      href={addressOf(to)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        go(to)
      }}
    />
  )
}
