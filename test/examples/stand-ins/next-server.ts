export const connection = (): Promise<void> => Promise.resolve()
