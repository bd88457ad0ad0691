/** Loaded before `scripts/trace.ts` with `--returns`: every function of src/ notes its file when it is entered. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

import ts from 'typescript59'

const source = new URL('../src/', import.meta.url).href

Object.assign(globalThis, { noted: [] as string[] })

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(source) || !url.endsWith('.ts')) return nextLoad(url, context)
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return { format: 'module-typescript', source: noting(text, url.slice(source.length)), shortCircuit: true }
  },
})

/** The text of a module whose functions note its name. Constructors of derived classes do not: `super()` comes first there. */
function noting(text: string, file: string): string {
  const note = `globalThis.noted.push(${JSON.stringify(file)})`
  const inserted: (readonly [position: number, text: string])[] = []
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && !ts.isConstructorDeclaration(node) && 'body' in node ? node.body : undefined
    if (body && ts.isBlock(body)) inserted.push([body.getStart() + 1, `${note};`])
    else if (body) inserted.push([body.getStart(), `(${note},(`], [body.end, '))'])
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true))
  // Edits start from the end, so that positions before them stay correct.
  return inserted
    .toSorted(([first], [other]) => other - first)
    .reduce((changed, [at, addition]) => changed.slice(0, at) + addition + changed.slice(at), text)
}
