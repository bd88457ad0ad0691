import type { SentFactor } from '../../contract/factor-descriptions.ts'

interface PlaceView {
  /** The path of an icon of 20 × 20. */
  readonly icon: string
  /** Enough to recognize one's own place: someone who knows only the password learns no more. */
  mask(place: string): string
}

/** How pages show the places to which codes are sent. */
export const placeViews = {
  email: {
    icon: 'M3 4.5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1M2.5 6l7.5 5 7.5-5',
    mask(address) {
      const [first = ''] = address
      return `${first}•••${address.slice(address.lastIndexOf('@'))}`
    },
  },
} as const satisfies Readonly<Record<SentFactor, PlaceView>>
