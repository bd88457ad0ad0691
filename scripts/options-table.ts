/** `npm run docs`: docs/options.md, from the comments that editors show for each option. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { table } from './markdown-table.ts'
import { readOptions } from './read-options.ts'
import type { Option, OptionList } from './read-options.ts'
import { root } from './run.ts'

export const optionsTablePath = 'docs/options.md'

/** The content of the document. */
export function optionsTable(lists: readonly OptionList[]): string {
  return [head, ...lists.map(chapter)].join('\n')
}

function chapter({ caller, module, options }: OptionList): string {
  const rows = options.map((option) => [`\`${option.name}\``, typeCell(option), defaultCell(option), option.text])
  const heading = [`## ${caller}`, '', `From \`${module}\`.`, '']
  return [...heading, ...table([['Option', 'Type', 'Default', 'What it does'], ...rows]), ''].join('\n')
}

const typeCell = ({ types }: Option): string =>
  types.map((type) => (/^(function|object)$/.test(type) ? type : `\`${type}\``)).join(' or ')

function defaultCell({ required, group, default: standard }: Option): string {
  if (required) return 'required'
  return standard === '' && group ? 'see below' : standard
}

const head = `# Options

A wrong or unknown option throws a \`TypeError\` at start that says what to write.

\`npm run docs\` generates this page from the comments in the code, which your editor also shows. \`npm test\` fails if it is out of date.
`

if (import.meta.main) await writeFile(join(root, optionsTablePath), optionsTable(readOptions('src')))
