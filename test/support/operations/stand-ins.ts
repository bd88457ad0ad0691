import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { root as repository } from '../../../scripts/run.ts'

/**
 * `npm` and `curl` of the short form, which has no network and demands no program: they do what the page's commands ask of
 * them, and refuse anything else. The long form uses the real ones.
 *
 * @param unpacked The package as `npm pack` makes it, unpacked.
 */
export function writeStandIns(folder: string, unpacked: string): void {
  mkdirSync(folder, { recursive: true })
  write(folder, 'curl', curl)
  write(folder, 'npm', `const settings = ${JSON.stringify({ unpacked, repository })}\n${npm}`)
}

function write(folder: string, name: string, code: string): void {
  writeFileSync(join(folder, `${name}.mjs`), code)
  writeFileSync(join(folder, name), `#!/bin/sh\nexec "${process.execPath}" "${join(folder, name)}.mjs" "$@"\n`)
  chmodSync(join(folder, name), 0o755)
}

/** `npm install --prefix FOLDER --omit=dev PACKAGE…`, with the packages of the repository. */
const npm = `
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [command, flag, prefix, omit, ...names] = process.argv.slice(2)
if (command !== 'install' || flag !== '--prefix' || omit !== '--omit=dev' || names.length === 0) throw new Error('npm: unknown call')
const modules = join(prefix, 'node_modules')
const link = (target, path) => {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
}
const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(settings.unpacked, 'package.json')))
const needed = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
for (const name of [...names.map((one) => one.replace(/@latest$/, '')), ...Object.keys(dependencies), ...needed]) {
  if (name === 'second-factor') continue
  if (!existsSync(join(settings.repository, 'node_modules', name))) throw new Error('npm: there is no ' + name)
  link(join(settings.repository, 'node_modules', name), join(modules, name))
}
const own = join(modules, 'second-factor')
rmSync(own, { recursive: true, force: true })
cpSync(settings.unpacked, own, { recursive: true })
link(join(own, 'bin/second-factor.js'), join(modules, '.bin/second-factor'))
`

/** `curl --fail --silent --show-error [--retry N --retry-all-errors] [--header H] URL`. */
const curl = `
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fail: { type: 'boolean' }, silent: { type: 'boolean' }, 'show-error': { type: 'boolean' },
    retry: { type: 'string', default: '0' }, 'retry-all-errors': { type: 'boolean' },
    header: { type: 'string', multiple: true, default: [] },
  },
})
const headers = values.header.map((line) => line.split(/: */s, 2))
for (let left = Number(values.retry); ; left -= 1) {
  const answer = await fetch(positionals[0], { headers }).catch((error) => ({ ok: false, status: error.message }))
  if (answer.ok) {
    process.stdout.write(await answer.text())
    break
  }
  if (left === 0) {
    console.error('curl: ' + positionals[0] + ' answered ' + answer.status)
    process.exit(22)
  }
  await new Promise((resolve) => setTimeout(resolve, 200))
}
`
