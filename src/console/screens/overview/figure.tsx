import type { ComponentChildren } from 'preact'

import { Link } from '../../session/router.tsx'
import { sectionsFor } from '../../session/sections.ts'
import { useSignedIn } from '../../session/session.tsx'

interface FigureProps {
  /** The list behind it. */
  readonly to: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** A figure that leads to the list behind it, if the role can see that list. */
export function Figure({ to, children, ...attributes }: FigureProps) {
  const { role } = useSignedIn().session.administrator
  const [path] = to.split('?', 1)
  if (!sectionsFor(role).some((section) => section.path === path)) return <span {...attributes}>{children}</span>
  return (
    <Link to={to} {...attributes}>
      {children}
    </Link>
  )
}
