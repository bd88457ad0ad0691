/** Runs a limited number of tasks at a time, in order. */
export interface Lane {
  run<T>(act: () => Promise<T>): Promise<T>
}

export function createLane(width: number): Lane {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    async run(act) {
      if (running >= width) await new Promise<void>((resolve) => void waiting.push(resolve))
      else running += 1
      try {
        return await act()
      } finally {
        // The next task takes over the slot.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}

/** A separate lane for each name, so that a slow name does not delay others. */
export function createLanes(width: number): (name: string) => Lane {
  const lanes = new Map<string, Lane>()
  return (name) => {
    const lane = lanes.get(name) ?? createLane(width)
    lanes.set(name, lane)
    return lane
  }
}
