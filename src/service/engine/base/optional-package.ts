import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { SetupError } from '../../../service-handle.ts'

export interface OptionalPackage {
  readonly name: string
  /** The purpose of the package, as the subject of a sentence, such as `Sending mail`. */
  readonly purpose: string
  /** The oldest supported version, such as `13.2`. */
  readonly oldest: string
}

/**
 * Loads a package that only some apps need. Checks the version first, because an old version with native code could crash the
 * process.
 *
 * @throws {SetupError} that says what to install, if the package is missing, too old or cannot be loaded.
 */
export async function loadOptional<T>(requirement: OptionalPackage, load: () => Promise<T>): Promise<T> {
  const version = supportedVersion(requirement)
  try {
    return await load()
  } catch (cause) {
    throw new SetupError(describeFailure(requirement, version, cause), { cause })
  }
}

/**
 * Loads a package that the caller can do without.
 *
 * @returns undefined if the package is not installed.
 * @throws {SetupError} if it is installed but too old, or cannot be loaded.
 */
export async function loadIfInstalled<T>(requirement: OptionalPackage, load: () => Promise<T>): Promise<T | undefined> {
  return isInstalled(requirement) ? loadOptional(requirement, load) : undefined
}

/**
 * Whether a package that is loaded later is installed.
 *
 * @throws {SetupError} if it is too old.
 */
export const isSupported = (requirement: OptionalPackage): boolean => supportedVersion(requirement) !== undefined

/** Whether a package is installed, whatever its version. */
export const isInstalled = ({ name }: OptionalPackage): boolean => installedVersion(name) !== undefined

/** @returns undefined if the package is not installed. */
function supportedVersion({ name, purpose, oldest }: OptionalPackage): string | undefined {
  const version = installedVersion(name)
  if (version === undefined || !isOlder(version, oldest)) return version
  throw new SetupError(
    `${purpose} needs ${name} ${oldest} or newer, and ${version} is installed: npm install ${name}@latest`,
  )
}

function describeFailure({ name, purpose }: OptionalPackage, version: string | undefined, cause: unknown): string {
  if (version === undefined) return `${purpose} needs the package ${name}: npm install ${name}`
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  return `${purpose} needs ${name}, and the installed ${version} cannot be loaded: ${reason}`
}

/** Compares major and minor numbers only. */
function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version)
  const [oldestMajor = 0, oldestMinor = 0] = numbersOf(oldest)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

const numbersOf = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10))

/** Packages by name. They stay the same while the process runs. */
const installedVersions = new Map<string, string>()

/** @returns undefined if the package is not installed, or has no version. */
function installedVersion(name: string): string | undefined {
  const version = installedVersions.get(name) ?? findVersion(name)
  if (version !== undefined) installedVersions.set(name, version)
  return version
}

function findVersion(name: string): string | undefined {
  try {
    return readVersion(name, dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return undefined
  }
}

/** Reads the `package.json` at the package's root, which `exports` may hide from `require`. */
function readVersion(name: string, folder: string): string | undefined {
  const parent = dirname(folder)
  if (parent === folder) return undefined
  try {
    const described = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: string
      version?: string
    }
    // A folder inside a package may have its own `package.json`, without a name.
    if (described.name === name) return described.version
  } catch {
    // No such file here: try the parent folder.
  }
  return readVersion(name, parent)
}
