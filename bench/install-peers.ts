import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const peersFolder = join(import.meta.dirname, 'peers')

/** Installs the packages that are compared, unless they are installed as the lockfile says. */
export function installPeers(): void {
  const lock = join(peersFolder, 'package-lock.json')
  const installed = join(peersFolder, 'node_modules/.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  console.log('Installing the packages to compare with: npm ci --prefix bench/peers')
  const args = ['ci', '--prefix', peersFolder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { stdio: 'inherit' })
}

/** The installed versions of the compared packages, by name. */
export function peerVersions(): ReadonlyMap<string, string> {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string
      readonly dependencies: Readonly<Record<string, string>>
    }
  const names = Object.keys(read(peersFolder).dependencies)
  return new Map(names.map((name) => [name, read(join(peersFolder, 'node_modules', name)).version]))
}
