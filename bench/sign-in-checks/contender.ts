/** A package that checks second steps. */
export interface Contender {
  readonly name: string
  /** Whether the same code passes a second time, against RFC 6238 section 5.2. */
  readonly replayed: boolean
  /** Passes one, or throws. @param person Which of the people, from 0. */
  readonly check: (person: number) => Promise<void>
  readonly close?: () => Promise<void>
}
