/** Each value as a line of JSON, no faster than whoever reads them. */
export async function printLines(values: AsyncIterable<unknown>): Promise<void> {
  const { stdout } = process
  let ended = false
  // The reader has seen enough, as `head` has.
  const end = new Promise<void>((resolve) => {
    stdout.once('error', () => {
      ended = true
      resolve()
    })
  })
  for await (const value of values) {
    if (ended) return
    if (stdout.write(`${JSON.stringify(value)}\n`)) continue
    await Promise.race([new Promise<void>((resolve) => void stdout.once('drain', resolve)), end])
  }
}
