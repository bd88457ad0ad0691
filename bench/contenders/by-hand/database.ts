/** A row as the database returns it. */
export type Row = Readonly<Record<string, string>>

/** The result of a statement that changed a row and reads none. */
export const changed: Row = {}

/** Executes a declared statement of the service. */
export type Execute = (name: string, values: readonly (string | number | null)[]) => Promise<readonly Row[]>

/** A database without the store of the service. */
export interface Database {
  readonly read: Execute
  /** Resolves when the transaction is committed. Statements that `work` does not wait for are executed, too. */
  transact<T>(work: (execute: Execute) => Promise<T>): Promise<T>
  close(): unknown
}
