import { useEffect, useRef, useState } from 'preact/hooks'

import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import * as icons from '../ui/icons.ts'
import { CurrentPage, type CurrentPageProps } from './current-page.tsx'
import { isWithin, sectionsFor } from './session/sections.ts'
import { Link, useRouter } from './session/router.tsx'
import { useSignedIn } from './session/session.tsx'
import { useSearchKey } from './hooks/use-search-key.ts'
import { useWords } from './words/speech.tsx'

/** Navigation and the current page. On narrow screens the navigation opens from a bar. */
export function Shell(props: CurrentPageProps) {
  const words = useWords()
  const { place } = useRouter()
  const [open, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)

  useEffect(() => setOpen(false), [place])
  useSearchKey()
  return (
    <div
      class={open ? 'shell open' : 'shell'}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false)
      }}
    >
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {words.skip}
      </button>
      <header class="side">
        <div class="brand-row">
          <Brand />
          <IconButton
            icon={open ? icons.cross : icons.menu}
            label={open ? words.closeMenu : words.menu}
            aria-expanded={open}
            aria-controls="navigation"
            onClick={() => setOpen(!open)}
          />
        </div>
        <Navigation />
      </header>
      <main ref={main} tabIndex={-1}>
        <CurrentPage {...props} />
      </main>
    </div>
  )
}

function Brand() {
  const words = useWords()
  const { session } = useSignedIn()
  return (
    <p class="brand">
      <span class="brand-mark">
        <Icon path={icons.shield} />
      </span>
      <span>
        <strong>
          <bdi>{session.organization.name}</bdi>
        </strong>
        <small>{words.appName}</small>
      </span>
    </p>
  )
}

function Navigation() {
  const words = useWords()
  const { session } = useSignedIn()
  const { place } = useRouter()
  const { administrator } = session
  return (
    <nav id="navigation" aria-label={words.menu}>
      <ul class="list">
        {sectionsFor(administrator.role).map((section) => (
          <li key={section.path}>
            <Link to={section.path} class="nav-link" aria-current={isWithin(section, place.path) ? 'page' : undefined}>
              <Icon path={section.icon} />
              {section.title(words)}
            </Link>
          </li>
        ))}
      </ul>
      <Link to="account" class="nav-link own" aria-current={place.path === 'account' ? 'page' : undefined}>
        <Icon path={icons.person} />
        <span>
          <strong>
            <bdi>{administrator.name}</bdi>
          </strong>
          <small>{words.roles[administrator.role]}</small>
        </span>
      </Link>
    </nav>
  )
}
