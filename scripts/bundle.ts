import { cp, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { build } from 'vite'
import type { Plugin } from 'vite'

import { root } from './run.ts'

const source = join(root, 'src')

/**
 * Bundles what runs in Node: a file for each part, as the arrows between the parts go. An app that loads `second-factor`
 * then reads a handful of files and not two hundred, which is most of what its start would cost. Packages stay outside,
 * all but zod: half of those files are its own, most of them its words in other languages.
 *
 * @param names of the entries below src/ and below `output`, such as `client/index`.
 */
export async function bundle(output: string, names: readonly string[]): Promise<void> {
  // Vite sets it for the whole process.
  const { NODE_ENV: before } = process.env
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: [whereModulesWere()],
      ssr: { noExternal: ['zod'], external: true },
      build: {
        ssr: true,
        outDir: output,
        emptyOutDir: false,
        target: 'node22',
        minify: false,
        rolldownOptions: {
          input: Object.fromEntries(names.map((name) => [name, join(source, `${name}.ts`)])),
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: 'parts/[name].js',
            // Names as in the sources, for whoever reads a stack trace.
            minifyInternalExports: false,
            codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf }] },
          },
        },
      },
    })
    await cp(join(root, 'node_modules/zod/LICENSE'), join(output, 'parts/zod.LICENSE'))
  } finally {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  }
}

/** The folder below src/ that a module is in; an `index.ts` stays an entry. */
function partOf(id: string): string | null {
  if (id.includes('/node_modules/zod/')) return 'zod'
  const [folder = '', ...rest] = relative(source, id).split(sep)
  // What a browser loads is one file, which an app can serve as it is. Of the command, each run reads what it needs.
  if (folder === '..' || folder === 'browser' || folder === 'cli' || id.endsWith(`${sep}index.ts`)) return null
  // What everybody may import goes with what everybody imports.
  return rest.length > 0 ? folder : 'contract'
}

/** Templates and the like are looked for beside the module that names them, not beside its bundle. */
function whereModulesWere(): Plugin {
  return {
    name: 'second-factor:where-modules-were',
    enforce: 'pre',
    async load(id) {
      if (!id.startsWith(source + sep) || !id.endsWith('.ts')) return undefined
      const place = relative(source, id).replaceAll(sep, '/').replace(/\.ts$/, '.js')
      const code = await readFile(id, 'utf8')
      return code.replaceAll('import.meta.url', `new URL('../${place}', import.meta.url).href`)
    },
  }
}
