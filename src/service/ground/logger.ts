/** Where the service says what its operator should know; `pino` and `console` fit in. Details never carry secrets. */
export interface Logger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
