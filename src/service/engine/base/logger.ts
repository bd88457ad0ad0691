/** Receives log lines; `pino` and `console` fit. Details never contain secrets. */
export interface Logger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
