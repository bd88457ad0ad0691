/** The option `importFactors` gave no usable answer. Nothing is known about the user then, so nothing may be enrolled. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}
