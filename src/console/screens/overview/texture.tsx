import { useId } from 'preact/hooks'

/** Parts of a chart differ by texture too, for people who do not tell the colors apart. */
export const textures = ['solid', 'stripes', 'bricks', 'dots', 'hollow'] as const

export type Texture = (typeof textures)[number]

/** The drawing of each texture, which repeats every 6 pixels. */
const drawings: Readonly<Record<Texture, string>> = {
  solid: 'M0 3h6',
  stripes: 'M-1 7 7-1M-1 1l2-2M5 7l2-2',
  bricks: 'M0 1.5h6M1 4.5h4',
  dots: 'M1.5 1.5v.01M4.5 4.5v.01',
  hollow: '',
}

/** The textures of one chart, by ids of its own. They belong into an `svg`. */
export function useTextures() {
  const id = useId()
  const idOf = (texture: Texture) => `${id}${texture}`
  return {
    /** The filling of a shape. */
    fill: (texture: Texture) => `url(#${idOf(texture)})`,
    definitions: (
      <defs>
        {textures.map((texture) => (
          <pattern
            key={texture}
            id={idOf(texture)}
            class={`texture ${texture}`}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
          >
            <rect width="6" height="6" />
            <path d={drawings[texture]} />
          </pattern>
        ))}
      </defs>
    ),
  }
}

/** A sample of a part of a chart, beside its name. */
export function Swatch({ texture }: { readonly texture: Texture }) {
  const { fill, definitions } = useTextures()
  return (
    <svg class="swatch" width="18" height="18" aria-hidden="true">
      {definitions}
      <rect class={`shape ${texture}`} x="1" y="1" width="16" height="16" fill={fill(texture)} />
    </svg>
  )
}
