/** The largest file that the console imports, bytes: more than 10,000 tokens. */
export const stockFileLimit = 6 * 1024 * 1024

/** How many rejected rows of an import are listed. The others are only counted. */
export const maxListedRejections = 100

/** How many characters of a serial number the help desk has to enter before it sees tokens that belong to no one. */
export const helpDeskSerialLength = 4
