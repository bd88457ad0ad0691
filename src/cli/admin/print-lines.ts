import { once } from 'node:events'

/** Each value as a line of JSON, no faster than whoever reads them. */
export async function printLines(values: AsyncIterable<unknown>): Promise<void> {
  const { stdout } = process
  let gone = false
  // Such as `head`, which has seen enough.
  stdout.on('error', () => (gone = true))
  for await (const value of values) {
    if (gone) return
    if (!stdout.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')])
  }
}
