import type { ButtonHTMLAttributes } from 'preact'

import { Icon, type IconName } from './icons.tsx'

interface ButtonProps extends ButtonHTMLAttributes {
  readonly label: string
}

/** A button with a text, and an icon before it if given. */
export function Button({ label, icon, type = 'button', ...attributes }: ButtonProps & { readonly icon?: IconName }) {
  return (
    <button type={type} {...attributes}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </button>
  )
}

/** A button with an icon; screen readers announce its label. */
export function IconButton({ icon, label, ...attributes }: ButtonProps & { readonly icon: IconName }) {
  return (
    <button type="button" class="icon-button" aria-label={label} {...attributes}>
      <Icon name={icon} />
    </button>
  )
}
