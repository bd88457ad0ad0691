/**
 * Reads an event stream (WHATWG HTML section 9.2). For each piece that arrives it yields the data of the events that the piece
 * completes, often none: a heartbeat still shows that the connection is alive.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunksOf(body)) {
    const events: string[] = []
    // A CR at the end may be the first half of a CRLF.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push(data.join('\n'))
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
    }
    yield events
  }
}

/** Uses a reader, as Safari cannot iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
