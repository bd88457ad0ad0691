import { folderBelow } from './cycles.ts'
import type { SourceFile } from './source-file.ts'

/** The rooms of the service, each of which imports only those before it; `features/` has its own order. */
const rooms = ['engine', 'features', 'upkeep', 'routes']

/** A feature imports only those before it. */
export const features = [
  'users',
  'domains',
  'oidc',
  'factors',
  'browsers',
  'passkeys',
  'bypass-codes',
  'sent-codes',
  'codes',
  'administrators',
  'sessions',
  'hardware',
  'imported-factors',
  'devices',
  'callers',
  'approvals',
  'mail-reports',
  'people',
  'bulk-jobs',
]

/**
 * What goes against the order of the house, types included: a room that imports a later one, folders beside each other that import
 * each other, a folder that imports the files beside it, and files that import each other in a circle (those that are loaded later do not count).
 *
 * @returns one line each.
 */
export function againstTheOrder(files: readonly SourceFile[]): string[] {
  return [...new Set([...roomOrder(files), ...siblings(files), ...looseFiles(files), ...circles(files)])].toSorted()
}

function roomOrder(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .map(({ target = '' }) => target)
      .filter((target) => isLater(path, target))
      .map((target) => `order: ${path} → ${target}`),
  )
}

/** Whether a file of the service imports a later room, or a later feature. */
function isLater(path: string, target: string): boolean {
  const [from, to] = [placeOf(path), placeOf(target)]
  return from !== undefined && to !== undefined && to > from
}

/** The position of a file in the order; files at the root of the service come last. */
function placeOf(path: string): number | undefined {
  if (!path.startsWith('src/service/')) return undefined
  const room = folderBelow('src/service', path)
  if (room === undefined) return rooms.length
  const feature = folderBelow('src/service/features', path)
  const position = feature === undefined ? 0 : features.indexOf(feature)
  if (!rooms.includes(room) || position === -1) return rooms.length + 1
  return rooms.indexOf(room) + position / features.length
}

/** All folders that contain files, with those above them. */
function foldersOf(files: readonly SourceFile[]): string[] {
  const folders = new Set<string>()
  for (const { path } of files) {
    const parts = path.split('/')
    for (let length = 1; length < parts.length; length += 1) folders.add(parts.slice(0, length).join('/'))
  }
  return [...folders]
}

function siblings(files: readonly SourceFile[]): string[] {
  return foldersOf(files).flatMap((parent) => {
    const edges = new Set<string>()
    for (const { path, imports } of files) {
      const from = folderBelow(parent, path)
      for (const { target = '' } of from === undefined ? [] : imports) {
        const to = folderBelow(parent, target)
        if (to !== undefined && to !== from) edges.add(`${from} ${to}`)
      }
    }
    return [...edges]
      .map((edge) => edge.split(' '))
      .filter(([first = '', other = '']) => first < other && edges.has(`${other} ${first}`))
      .map(([first, other]) => `siblings: ${parent}: ${first} ↔ ${other}`)
  })
}

/** Files at the root of src/ are open to all, or join all. */
function looseFiles(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) => {
    const above = foldersOf([{ path, imports, ownStatements: [] }]).filter((folder) => folder !== 'src')
    return imports.flatMap(({ target = '' }) => {
      const beside = target.split('/').slice(0, -1).join('/')
      const below = above.includes(beside) ? folderBelow(beside, path) : undefined
      return below === undefined ? [] : [`loose: ${beside}: ${below} → files beside it`]
    })
  })
}

/** Strongly connected files (Tarjan), each group once. */
function circles(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ target = '', lazy }) => (lazy ? [] : [target]))]),
  )
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[] = []

  const visit = (path: string): void => {
    const ownIndex = index.size
    index.set(path, ownIndex)
    low.set(path, ownIndex)
    stack.push(path)
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) low.set(path, Math.min(low.get(path) ?? ownIndex, low.get(target) ?? ownIndex))
    }
    if (low.get(path) !== ownIndex) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) cycles.push(`circle: ${group.toSorted().join(' ')}`)
  }

  for (const path of targets.keys()) if (!index.has(path)) visit(path)
  return cycles
}
