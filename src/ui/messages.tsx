import type { ComponentChildren } from 'preact'

import { Icon } from './icon.tsx'
import { type IconPath, warning } from './icons.ts'

/** An error message. The element always exists, so that screen readers announce changes. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text === undefined ? null : (
        <>
          <Icon path={warning} />
          <span>{text}</span>
        </>
      )}
    </p>
  )
}

/** A status message with an icon. */
export function Status({ icon, children }: { readonly icon: IconPath; readonly children: ComponentChildren }) {
  return (
    <p class="status" role="status">
      <Icon path={icon} />
      <span>{children}</span>
    </p>
  )
}
