import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { carryOut } from './machine-lines.ts'
import type { OnTheMachine } from './machine-lines.ts'
import { blocksOf } from './page.ts'
import type { Block } from './page.ts'
import { openShell } from './shell.ts'
import { writeStandIns } from './stand-ins.ts'
import { substitute } from './substitutions.ts'
import type { Place } from './substitutions.ts'
import { manageUnits } from './units.ts'
import type { Units } from './units.ts'

/** An empty machine, on which an administrator follows docs/operations.md. */
export interface Machine {
  readonly place: Place
  readonly units: Units
  /** Follows all blocks below a heading, in their order. @returns what they printed. */
  readonly follow: (section: string, filter?: (block: Block) => boolean) => Promise<string>
  readonly carryOut: (block: Block) => Promise<string>
  /** Types something that is not in the page, to look at what came of it. */
  readonly type: (code: string) => Promise<string>
  readonly close: () => void
}

export interface MachineOptions {
  readonly place: Omit<Place, 'root'>
  /** The package, packed and unpacked; its `deploy/` is for this machine alone. */
  readonly unpacked: string
  readonly nginx?: OnTheMachine['nginx']
  readonly env?: NodeJS.ProcessEnv
  /** Whether `npm` and `curl` are those of the test. */
  readonly standIns?: boolean
}

export function createMachine({ place: partialPlace, unpacked, nginx, env, standIns = true }: MachineOptions): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-machine-'))
  const tarball = join(folder, 'second-factor.tgz')
  const place: Place = { ...partialPlace, root: join(folder, 'root'), ...(!standIns && { tarball }) }
  const home = join(folder, 'home')
  // What Debian has, and its packages bring.
  for (const path of [
    'usr/local/bin',
    'etc/systemd/system',
    'etc/nginx/conf.d',
    'etc/prometheus',
    'var/lib/postgresql',
  ]) {
    mkdirSync(join(place.root, path), { recursive: true })
  }
  mkdirSync(home)
  const ownPackage = join(folder, 'package')
  cpSync(unpacked, ownPackage, { recursive: true })
  substituteBelow(join(ownPackage, 'deploy'), place)
  if (standIns) writeStandIns(join(folder, 'stand-ins'), ownPackage)
  else execFileSync('tar', ['-czf', tarball, '-C', folder, 'package'])
  const shell = openShell(home, {
    // Where the network is, real programs find in the environment.
    ...(!standIns && process.env),
    PATH: [
      join(place.root, 'usr/local/bin'),
      join(folder, 'stand-ins'),
      dirname(process.execPath),
      process.env['PATH'],
    ].join(':'),
    HOME: home,
    LC_ALL: 'C.UTF-8',
    // Dozens of commands load the same modules.
    ...(standIns && { NODE_COMPILE_CACHE: join(folder, 'compiled') }),
    ...env,
  })
  const units = manageUnits(join(place.root, 'etc/systemd/system'))
  const onTheMachine: OnTheMachine = {
    root: place.root,
    units,
    nginx: nginx ?? (() => Promise.resolve()),
    real: !standIns,
  }

  async function carryOutBlock(block: Block): Promise<string> {
    if (block.class === 'machine') await carryOut(block.code, onTheMachine)
    if (block.class === 'run' || block.class === 'postgres') return shell.run(substitute(block.code, place))
    return ''
  }

  return {
    place,
    units,
    async follow(section, filter = () => true) {
      let printed = ''
      for (const block of blocksOf(section).filter(filter)) printed += await carryOutBlock(block)
      return printed
    },
    carryOut: carryOutBlock,
    type: (code) => shell.run(substitute(code, place)),
    close() {
      units.kill()
      shell.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The files contain ports and folders, too. */
export function substituteBelow(folder: string, place: Place): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    writeFileSync(path, substitute(readFileSync(path, 'utf8'), place))
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
