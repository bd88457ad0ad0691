import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { Icon, type IconName } from './icons.tsx'

interface CardProps {
  /** The headline, said first when the card comes up. */
  readonly title: ComponentChildren
  /** What it is about, above the headline. */
  readonly above?: ComponentChildren
  readonly children?: ComponentChildren
}

/** One screen: one headline and what belongs to it. */
export function Card({ title, above, children }: CardProps) {
  const headline = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    // Screen readers start here; a field that took the focus already keeps it.
    if (!headline.current?.parentElement?.contains(document.activeElement)) headline.current?.focus()
  }, [])

  return (
    <section class="card">
      {above}
      <h1 ref={headline} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </section>
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

/** The app or website that something is about. */
export function About({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <p class="about">
      <Monogram name={name} />
      <span>{children}</span>
    </p>
  )
}

/** The first letter of a name, where there is no picture. */
export function Monogram({ name }: { readonly name: string }) {
  return (
    <span class="monogram" aria-hidden="true">
      {Array.from(name.trim())[0]?.toLocaleUpperCase() ?? '?'}
    </span>
  )
}
