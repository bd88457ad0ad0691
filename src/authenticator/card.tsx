import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { devicePaths } from '../contract/device.ts'
import { printable } from '../device/printable.ts'

import type { Fact } from './facts.ts'
import { Icon, type IconName } from './icons.tsx'
import { useWords } from './words/speech.tsx'

interface CardProps {
  /** The headline, said first when the card comes up. */
  readonly title: ComponentChildren
  /** What it is about, above the headline. */
  readonly above?: ComponentChildren
  /** Where this one was opened from, if it is left that way. */
  readonly onBack?: (() => void) | undefined
  readonly children?: ComponentChildren
}

/** One screen: one headline and what belongs to it. */
export function Card({ title, above, onBack, children }: CardProps) {
  const headline = useRef<HTMLHeadingElement>(null)

  // Before it is drawn: whoever has seen the card may be typing already.
  useLayoutEffect(() => {
    // Screen readers start here; a field that took the focus already keeps it.
    if (!headline.current?.closest('.card')?.contains(document.activeElement)) headline.current?.focus()
  }, [])

  return (
    <section class="card">
      {above}
      <div class={onBack ? 'titled' : ''}>
        {onBack ? <BackButton onBack={onBack} /> : null}
        <h1 ref={headline} tabIndex={-1}>
          {title}
        </h1>
      </div>
      {children}
    </section>
  )
}

function BackButton({ onBack }: { readonly onBack: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={useWords().back} onClick={onBack}>
      <Icon name="back" />
    </button>
  )
}

/** Names and what they are. */
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

/** A sentence about what went wrong; its place is there before it is. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text === undefined ? null : (
        <>
          <Icon name="warning" />
          <span>{text}</span>
        </>
      )}
    </p>
  )
}

/** How things stand, with its icon. */
export function Status({ icon, children }: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <p class="status" role="status">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  )
}

/** A domain, and who can show it. */
interface DomainProps {
  readonly domain: { readonly id: string; readonly name: string }
  readonly serviceUrl: string
}

/** The app or website that something is about. */
export function About({ children, ...domain }: DomainProps & { readonly children: ComponentChildren }) {
  return (
    <p class="about">
      <Emblem {...domain} />
      <span>{children}</span>
    </p>
  )
}

/** The image of a domain; the first letter of its name until that is there, and where there is none. */
export function Emblem({ domain, serviceUrl }: DomainProps) {
  const [shown, setShown] = useState(false)
  return (
    <span class="emblem" aria-hidden="true">
      {shown ? null : (Array.from(domain.name.trim())[0]?.toLocaleUpperCase() ?? '?')}
      <img
        src={serviceUrl + devicePaths.image(domain.id)}
        alt=""
        hidden={!shown}
        // One pixel stands for no image.
        onLoad={({ currentTarget }) => setShown(currentTarget.naturalWidth > 1)}
      />
    </span>
  )
}
