import type { ButtonHTMLAttributes } from 'preact'

import { Icon, type IconName } from './icons.tsx'

interface ButtonProps extends ButtonHTMLAttributes {
  readonly label: string
}

/** A button with a text. */
export function Button({ label, type = 'button', ...attributes }: ButtonProps) {
  return (
    <button type={type} {...attributes}>
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
