/** Runs so many things at a time; the others wait for their turn. */
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
        // Whoever is next takes over the place.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}

/** A lane for each name: what is slow under one holds up nothing under another. */
export function createLanes(width: number): (name: string) => Lane {
  const lanes = new Map<string, Lane>()
  return (name) => {
    const present = lanes.get(name) ?? createLane(width)
    lanes.set(name, present)
    return present
  }
}
