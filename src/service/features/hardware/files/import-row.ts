import type { Rejected } from '../../../engine/base/import-rows.ts'

/** A row of an import file: a token in the form of the contract, not yet validated, or the reason why it could not be read. */
export type ImportRow = { readonly line: number } & (
  | {
      readonly token: unknown
      /** How many steps its clock was ahead when it was last known. */
      readonly drift?: number
    }
  | Omit<Rejected, 'line'>
)
