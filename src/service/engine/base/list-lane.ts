import { createLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { useDatabase, withinTime } from './waiting-caller.ts'

/** Lists that are read at a time: a fifth of the connections of a node. */
const width = 2

/**
 * Reads few lists at a time, whoever asks for them: those that are slow hold up each other, and neither sign-ins nor changes. Other requests run
 * between two of them.
 *
 * @param timeout How long a request may take at the database with its wait for its turn, milliseconds. Its list is not begun later.
 */
export function createListLane(timeout: number): Lane {
  const lane = createLane(width)

  async function run<T>(act: () => Promise<T>): Promise<T> {
    const use = useDatabase(timeout)
    const turn = Promise.withResolvers<void>()
    let isWanted = true
    const result = lane.run(async () => {
      if (!isWanted) return undefined
      await new Promise<void>((resolve) => void setImmediate(resolve))
      turn.resolve()
      return act()
    })
    try {
      await withinTime(use, turn.promise)
      return (await result) as T
    } catch (error) {
      isWanted = false
      // The caller has its answer already.
      result.catch(() => {})
      throw error
    } finally {
      use.end()
    }
  }
  return { run }
}
