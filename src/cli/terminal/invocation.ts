/**
 * How the person at the terminal calls this program. npx and the scripts of a package.json find it in `node_modules`, where a shell
 * does not look.
 */
export const invocation = ({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv = process.env): string =>
  /^['"]?second-factor\b/.test(script) ? 'npx second-factor' : 'second-factor'

/** Commands that a message names after a colon, as they can be copied. */
export const asInvoked = (message: string): string =>
  message.replaceAll(/(?<=: )second-factor(?= [a-z])/g, () => invocation())

/** Quotes a word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
