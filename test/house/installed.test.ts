import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>
}

/** Where npm has put what a package needs: in its own folder, or in one further up. */
function locate(name: string, from: string): string {
  const own = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (own in packages) return own
  if (from === '') throw new Error(`${name} is not in the lockfile`)
  return locate(name, from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ''))
}

/** Everything that comes with the package at `path`. */
function installed(path: string, places = new Set<string>()): ReadonlySet<string> {
  for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
    const place = locate(name, path)
    if (places.has(place)) continue
    places.add(place)
    installed(place, places)
  }
  return places
}

describe('npm install second-factor', () => {
  it('npm install second-factor installs fewer than 15 packages beside Express', () => {
    expect([...installed('')].length + 1).toBeLessThan(15)
  })

  it('npm install second-factor runs no install scripts', () => {
    expect([...installed('')].filter((path) => packages[path]?.hasInstallScript)).toEqual([])
  })
})

describe('the lockfile', () => {
  it('the lockfile contains the optional packages of every platform, because npm ci of npm 11 and 12 needs them', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !Object.keys(packages).some((each) => each.endsWith(`node_modules/${name}`)))
        .map((name) => `${path} → ${name}`),
    )

    expect(missing).toEqual([])
  })
})
