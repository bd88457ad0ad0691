/** A failure with a message of its own, in the language of the page, for what only the place where it happens can say. */
export class ToldError extends Error {
  readonly text: string

  constructor(text: string, cause: unknown) {
    super(text, { cause })
    this.name = 'ToldError'
    this.text = text
  }
}
