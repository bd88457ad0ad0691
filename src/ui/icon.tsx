import { back, type IconPath } from './icons.ts'

/** An icon beside a text that says the same, so it is hidden from screen readers. */
export function Icon({ path }: { readonly path: IconPath }) {
  return (
    <svg class={mirrored.has(path) ? 'icon mirrored' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  )
}

/** Icons that are mirrored in right-to-left text. */
const mirrored: ReadonlySet<string> = new Set([back])
