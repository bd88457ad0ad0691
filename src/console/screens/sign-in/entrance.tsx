import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

import { Icon } from '../../../ui/icon.tsx'
import { shield } from '../../../ui/icons.ts'
import { useHeadline } from '../../../ui/use-headline.ts'
import { LanguageChoice, type LanguageChoiceProps } from '../../parts/language-choice.tsx'
import { useWords } from '../../words/speech.tsx'

interface EntranceProps extends LanguageChoiceProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A screen before the sign-in: one card. One that replaces another needs its own key. */
export function Entrance({ title, children, onLanguage }: EntranceProps) {
  const words = useWords()
  const headline = useHeadline('main')

  useLayoutEffect(() => {
    document.title = `${title} · ${words.appName}`
  }, [title, words])
  return (
    <main class="narrow">
      <p class="brand">
        <span class="brand-mark">
          <Icon path={shield} />
        </span>
        <strong>{words.appName}</strong>
      </p>
      <section class="card">
        <h1 ref={headline} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </section>
      <LanguageChoice onLanguage={onLanguage} />
    </main>
  )
}
