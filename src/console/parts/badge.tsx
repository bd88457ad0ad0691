import { Icon } from '../../ui/icon.tsx'
import type { IconPath } from '../../ui/icons.ts'

interface BadgeProps {
  readonly icon: IconPath
  readonly text: string
  readonly tone?: 'danger' | 'plain'
}

/** A state in a word and an icon. */
export function Badge({ icon, text, tone = 'plain' }: BadgeProps) {
  return (
    <span class={`badge ${tone}`} title={text}>
      <Icon path={icon} />
      <span>{text}</span>
    </span>
  )
}
