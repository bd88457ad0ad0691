import type { ImportedApp, ImportedCode } from '../../../../contract/imported-factors.ts'

/** The factors of one person in a file, or why they could not be read. */
export type FactorRow = { readonly line: number } & (ReadFactors | { readonly reason: string })

export interface ReadFactors {
  readonly username: string
  readonly name?: string
  readonly email?: string
  readonly app: ImportedApp
  /** The serial number of a hardware token. Without one, it is an authenticator app. */
  readonly serialNumber?: string
  readonly recovery?: readonly ImportedCode[]
  /** How many recovery codes of the row cannot be imported, such as those that are hashed slowly. */
  readonly recoveryRefused?: number
  /** When it was enrolled, if the file says it; Unix time, seconds. */
  readonly createdAt?: number
  /** The row does not say all parameters of its codes: the defaults of its source are taken. */
  readonly assumed?: true
}
