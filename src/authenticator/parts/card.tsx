import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'

import { devicePaths } from '../../contract/device.ts'
import { printable } from '../../ground/printable.ts'
import { IconButton } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { useHeadline } from '../../ui/use-headline.ts'
import type { Fact } from '../accounts/facts.ts'
import { useWords } from '../words/speech.tsx'

interface CardProps {
  /** The headline, which screen readers announce first. */
  readonly title: ComponentChildren
  /** The text for screen readers where the layout of the title would split its words. */
  readonly name?: string
  readonly class?: string
  /** Places the headline among other elements at the top. Without it, the headline stands alone. */
  readonly head?: (headline: VNode) => ComponentChildren
  /** Content above the headline. */
  readonly above?: ComponentChildren
  /** Goes back to the previous screen, if the card has a back button. */
  readonly onBack?: (() => void) | undefined
  readonly children?: ComponentChildren
}

/** One screen: a headline and its content. */
export function Card({ title, name, class: kind = '', head, above, onBack, children }: CardProps) {
  // A card that replaces another one needs its own key.
  const headline = useHeadline('.card')
  const h1 = (
    <h1 id="title" ref={headline} tabIndex={-1} aria-label={name}>
      {title}
    </h1>
  )
  return (
    <section class={`card ${kind}`}>
      {above}
      {head ? (
        head(h1)
      ) : (
        <div class={onBack ? 'titled' : ''}>
          {onBack ? <BackButton onBack={onBack} /> : null}
          {h1}
        </div>
      )}
      {children}
    </section>
  )
}

function BackButton({ onBack }: { readonly onBack: () => void }) {
  return <IconButton icon={icons.back} label={useWords().back} onClick={onBack} />
}

/** A list of labels and values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ label, value, note }) => (
        <div key={label}>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            <bdi>{printable(value)}</bdi>
            {note === undefined ? null : <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A domain, and the service that has its image. */
interface DomainProps {
  readonly domain: { readonly id: string; readonly name: string }
  readonly serviceUrl: string
}

/** The app or website that a card is about. */
export function About({ children, ...domain }: DomainProps & { readonly children: ComponentChildren }) {
  return (
    <p class="about">
      <Emblem {...domain} />
      <span>{children}</span>
    </p>
  )
}

/** The image of a domain, or the first letter of its name until the image has loaded or when there is none. */
export function Emblem({ domain, serviceUrl }: DomainProps) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="emblem" aria-hidden="true">
      {isShown ? null : (Array.from(domain.name.trim())[0]?.toLocaleUpperCase() ?? '?')}
      <img
        src={serviceUrl + devicePaths.image(domain.id)}
        alt=""
        hidden={!isShown}
        // A single pixel means that there is no image.
        onLoad={({ currentTarget }) => setShown(currentTarget.naturalWidth > 1)}
      />
    </span>
  )
}
