import { createLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { useDatabase, watchCaller, withinTime } from './waiting-caller.ts'

/** Lists that are read at a time for apps, and for administrators: a fifth of the connections of a node each. */
const width = 2

/**
 * Limits how many lists are read at once, so that slow lists delay only other lists. Other requests run between two of them, and a list is not read
 * for a caller who has hung up.
 *
 * @param timeout How long a request may take at the database with its wait for its turn, milliseconds. Its list is not begun later.
 */
export function createListLane(timeout: number): Lane {
  const lane = createLane(width)

  async function run<T>(act: () => Promise<T>): Promise<T> {
    const use = useDatabase(timeout)
    const caller = watchCaller()
    const turn = Promise.withResolvers<void>()
    let isWanted = true
    const result = lane.run(async () => {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      if (!isWanted) return undefined
      caller.requireCaller()
      turn.resolve()
      return act()
    })
    try {
      // It ends before its turn when the caller has hung up.
      await withinTime(use, Promise.race([turn.promise, result]))
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
