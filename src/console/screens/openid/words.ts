import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

import type { Words } from './texts/en.ts'

const Spoken = createContext<Words | undefined>(undefined)

/** The texts of these screens, apart from those of the console: few administrators ever open them. */
export const OpenIdWords = Spoken.Provider

export function useOpenIdWords(): Words {
  const words = useContext(Spoken)
  if (!words) throw new TypeError('useOpenIdWords needs OpenIdWords above it')
  return words
}
