import type { ComponentChildren } from 'preact'

import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { IconPath } from '../../../ui/icons.ts'
import type { PersonAction } from './action.ts'

interface FactorRowProps {
  readonly icon: IconPath
  readonly title: string
  readonly children: ComponentChildren
  readonly buttons?: ComponentChildren
}

/** One thing that signs a person in. */
export function FactorRow({ icon, title, children, buttons }: FactorRowProps) {
  return (
    <li class="row">
      <Icon path={icon} />
      <div class="row-text">
        <strong>
          <bdi>{printable(title)}</bdi>
        </strong>
        <small>{children}</small>
      </div>
      {buttons}
    </li>
  )
}

interface RowButtonProps {
  readonly onAsk: (action: PersonAction) => void
  readonly action: PersonAction
  /** The subject of the row, for screen readers. */
  readonly about: string
}

export function RowButton({ action, about, onAsk }: RowButtonProps) {
  return (
    <Button
      class={action.harmless ? 'outlined' : 'outlined danger'}
      aria-label={`${action.action}: ${about}`}
      onClick={() => onAsk(action)}
      label={action.action}
    />
  )
}
