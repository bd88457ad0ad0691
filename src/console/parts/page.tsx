import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

import { Icon } from '../../ui/icon.tsx'
import { back } from '../../ui/icons.ts'
import { useHeadline } from '../../ui/use-headline.ts'
import { Link } from '../session/router.tsx'
import { useSignedIn } from '../session/session.tsx'
import { useWords } from '../words/speech.tsx'

interface PageProps {
  readonly title: string
  /** A sentence below the headline. */
  readonly sentence?: string
  /** The page above this one, if any. */
  readonly above?: { readonly to: string; readonly title: string }
  /** Buttons and links beside the headline. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** One screen of a signed-in administrator. A screen that replaces another one needs its own key. */
export function Page({ title, sentence, above, actions, children }: PageProps) {
  const words = useWords()
  const { session } = useSignedIn()
  const headline = useHeadline('main')

  useLayoutEffect(() => {
    document.title = words.title(title, session.organization.name)
  }, [title, words])
  return (
    <>
      {above ? (
        <nav class="above" aria-label={words.back}>
          <Link to={above.to}>
            <Icon path={back} />
            {above.title}
          </Link>
        </nav>
      ) : null}
      <header class="page-head">
        <div>
          <h1 ref={headline} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {sentence === undefined ? null : <p class="sentence">{sentence}</p>}
        </div>
        {actions ? <div class="page-actions">{actions}</div> : null}
      </header>
      {children}
    </>
  )
}
