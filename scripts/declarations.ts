import { join } from 'node:path'

import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/**
 * Writes the declarations of the entries, with what they share in `types/`. Each module has its own declarations otherwise: eight hundred
 * files, most of which describe what no entry exports.
 *
 * @param input The folder of the declarations of all modules.
 * @param names of the entries below `input` and below `output`, such as `client/index`.
 */
export async function writeDeclarations(input: string, output: string, names: readonly string[]): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(input, `${name}.d.ts`)])),
    external: (id) => /^[a-z@]/i.test(id),
    // Comments would name the folder, which has another name each time.
    experimental: { attachDebugInfo: 'none' },
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  })
  // The plugin adds `.d` to the name of an entry.
  await bundle.write({ dir: output, entryFileNames: '[name].ts', chunkFileNames: 'types/[name].d.ts' })
  await bundle.close()
}
