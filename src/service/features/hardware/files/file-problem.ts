/**
 * What is wrong with a file as a whole: its content, the encoding of its seeds that it does not say, the key or password that it needs,
 * one that fits no encrypted value, or one for a file that has no use for it.
 */
type FileProblemKind =
  | 'content'
  | 'encoding_missing'
  | 'key_missing'
  | 'key_wrong'
  | 'key_unused'
  | 'password_missing'
  | 'password_wrong'

/** A file that cannot be imported. The message says why, and what to do; it never quotes the file, which may hold seeds. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
  readonly kind: FileProblemKind

  constructor(message: string, kind: FileProblemKind = 'content', options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
