import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

import type { AdminSession } from '../../admin-contract/sign-in.ts'
import type { Client } from '../client/client.ts'

/** The context that every screen of a signed-in administrator needs. */
export interface SignedIn {
  readonly client: Client
  readonly session: AdminSession
  /** Reads the session again, after its domains have changed. */
  readonly renew: () => Promise<void>
}

const Present = createContext<SignedIn | undefined>(undefined)

export const SignedInProvider = Present.Provider

export function useSignedIn(): SignedIn {
  const signedIn = useContext(Present)
  if (!signedIn) throw new TypeError('useSignedIn needs a SignedInProvider above it')
  return signedIn
}
