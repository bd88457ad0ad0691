/** How long a test waits for what must come, milliseconds: in a page, and by `expect.poll`. Below the limit of a test. */
export const waitTimeout = 20_000
