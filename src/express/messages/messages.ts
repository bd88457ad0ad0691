import type { Words } from '../texts/en.ts'

/** A text of a page: what happened, what it means, and what to do. */
export interface Message {
  readonly headline: string
  readonly sentence: string
  readonly button?: string
  /** The button that leads to `passwordUrl`. */
  readonly changePassword?: string
}

type ReadonlyTexts<T> = T extends string | ((...values: never) => string)
  ? T
  : { readonly [Key in keyof T]: ReadonlyTexts<T[Key]> }

/**
 * All texts of the pages in one language. A text with a value is a function; spans and points in time arrive as words of the
 * language. The browser may insert them later, so a text must not process them.
 */
export type Messages = ReadonlyTexts<Words>
