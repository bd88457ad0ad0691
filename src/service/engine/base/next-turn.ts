/** Lets requests run before a long computation goes on. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
