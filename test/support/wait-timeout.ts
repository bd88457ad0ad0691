/** How long a test waits for an expected change, milliseconds: in a page, and with `expect.poll`. Less than the timeout of a test. */
export const waitTimeout = 20_000
