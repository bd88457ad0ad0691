/** Preloaded into a process that is measured: answers on a socket of its own what memory it needs once it has cleaned up. */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { writeHeapSnapshot } from 'node:v8'

/** A client writes `memory`, or the name of a file for a heap snapshot. */
const path = process.env.MEMORY_PROBE
if (path !== undefined) {
  // Children of this process are not measured.
  delete process.env.MEMORY_PROBE
  const server = createServer((socket) => {
    socket.once('data', (chunk) => {
      globalThis.gc?.()
      const file = chunk.toString().trim()
      if (file !== 'memory') writeHeapSnapshot(file)
      socket.end(JSON.stringify(process.memoryUsage()))
    })
  })
  server.listen(path).unref()
  process.once('exit', () => rmSync(path, { force: true }))
}
