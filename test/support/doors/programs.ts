import { spawnSync } from 'node:child_process'

/** @throws {Error} that names the Debian packages to install. */
export function requirePrograms(...programs: readonly (readonly [path: string, debianPackage: string])[]): void {
  const missing = programs.filter(([path]) => spawnSync('sh', ['-c', `command -v ${path} || test -e ${path}`]).status)
  if (missing.length === 0) return
  const names = [...new Set(missing.map(([, name]) => name))].join(' ')
  throw new Error(
    `This test needs ${missing.map(([path]) => path).join(', ')}. On Debian: sudo apt-get install ${names}`,
  )
}

/** Prints what a person saw, or what was counted: the figures are what these tests are run for. */
export const show = (...values: readonly unknown[]): void => {
  // oxlint-disable-next-line no-console -- see above
  console.log(...values)
}
