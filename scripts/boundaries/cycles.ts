import type { SourceFile } from './source-file.ts'

/** The imports of each file, by path. */
type Graph = ReadonlyMap<string, Iterable<string>>

/** Finds circular imports at run time, each circle once: `[a, b]` for a → b → a. */
export function findCycles(files: readonly SourceFile[]): string[][] {
  return cyclesIn(new Map(files.map((file) => [file.path, targets(file)])))
}

/** The name of the folder directly below `parent` that contains the path. */
export function folderBelow(parent: string, path: string): string | undefined {
  const [folder, ...rest] = path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).split('/') : []
  return rest.length > 0 ? folder : undefined
}

function cyclesIn(graph: Graph): string[][] {
  const done = new Set<string>()
  const cycles: string[][] = []

  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) cycles.push(trail.slice(at))
    if (at !== -1 || done.has(path)) return
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }

  for (const path of graph.keys()) visit(path, [])
  return cycles
}

function targets(file: SourceFile): string[] {
  return file.imports
    .filter((imported) => !imported.typeOnly && !imported.lazy)
    .map((imported) => imported.target)
    .filter((target) => target !== undefined)
}
