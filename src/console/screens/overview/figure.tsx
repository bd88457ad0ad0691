import type { ComponentChildren } from 'preact'

import { Link } from '../../router.tsx'
import { sectionsFor } from '../../sections.ts'
import { useSignedIn } from '../../session.tsx'

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
