import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { SetupError } from '../service-handle.ts'

export interface OptionalPackage {
  readonly name: string
  /** What it is needed for, as the subject of a sentence, such as `Sending mail`. */
  readonly purpose: string
  /** The oldest major version that works. */
  readonly oldest: number
}

/**
 * Loads a package that only some apps need. Its version is looked at first: an old one with native code could end the process.
 *
 * @throws {SetupError} that says what to install, where the package is missing or too old.
 */
export async function loadOptional<T>(wanted: OptionalPackage, load: () => Promise<T>): Promise<T> {
  const { name, purpose, oldest } = wanted
  const version = installedVersion(name)
  if (version !== undefined && Number.parseInt(version, 10) < oldest) {
    throw new SetupError(
      `${purpose} needs ${name} ${oldest} or newer, and ${version} is installed: npm install ${name}@latest`,
    )
  }
  try {
    return await load()
  } catch (cause) {
    throw new SetupError(`${purpose} needs the package ${name}: npm install ${name}`, { cause })
  }
}

/** @returns nothing where the package is not installed, or does not say. */
function installedVersion(name: string): string | undefined {
  try {
    return readVersion(name, dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return undefined
  }
}

/** From the `package.json` at the root of the package, which `exports` may hide from `require`. */
function readVersion(name: string, folder: string): string | undefined {
  const parent = dirname(folder)
  if (parent === folder) return undefined
  try {
    const described = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: string
      version?: string
    }
    // A folder inside a package may have a `package.json` of its own, without a name.
    if (described.name === name) return described.version
  } catch {
    // No such file here: one folder up.
  }
  return readVersion(name, parent)
}
