/**
 * What is wrong with a file as a whole: its content, the key that it needs, a key that fits no encrypted value, or a key for a file
 * that has no use for it.
 */
type FileProblemKind = 'content' | 'key_missing' | 'key_wrong' | 'key_unused'

/** A file that cannot be imported. The message says why, and what to do; it never quotes the file, which may hold seeds. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
  readonly kind: FileProblemKind

  constructor(message: string, kind: FileProblemKind = 'content', options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
