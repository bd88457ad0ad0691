import type { ButtonHTMLAttributes } from 'preact'

import { Icon } from './icon.tsx'
import type { IconPath } from './icons.ts'

interface ButtonProps extends ButtonHTMLAttributes {
  readonly label: string
}

/** A button with a text, and an icon before it if given: one of `icons.ts`. */
export function Button({ label, icon, type = 'button', ...attributes }: ButtonProps & { readonly icon?: IconPath }) {
  return (
    <button type={type} {...attributes}>
      {icon ? <Icon path={icon} /> : null}
      {label}
    </button>
  )
}

/** A button with an icon; screen readers announce its label. */
export function IconButton({ icon, label, ...attributes }: ButtonProps & { readonly icon: IconPath }) {
  return (
    <button type="button" class="icon-button" aria-label={label} {...attributes}>
      <Icon path={icon} />
    </button>
  )
}
