// Apart from `new URL`, which the bundler would take for the address of a file.
const script = import.meta.url

/** The address of the console, with a slash at the end. Scripts are in a folder below it, wherever it is mounted. */
export const mount = new URL('..', script)

/** The address of its REST interface. */
export const apiBase = new URL('api', mount).href
