import type { parser, QualifiedTag } from 'sax'

import { nextTurn } from '../ground/next-turn.ts'
import { FileProblem } from './file-problem.ts'

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string
  readonly namespace: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
  /** The line of its start tag, from 1. */
  readonly line: number
}

/** Limits that bound memory. 16 MiB of key packages stay far below them. */
const maxElements = 500_000
const maxDepth = 32

/** Takes a few milliseconds. */
const charactersPerTurn = 64 * 1024

interface OpenElement extends XmlElement {
  readonly children: OpenElement[]
  text: string
}

/**
 * Parses a whole document into a tree, in turns of the event loop. Rejects document types: they only serve to define entities, which could expand without
 * limit or include files.
 */
export async function parseXml(text: string, sax: { readonly parser: typeof parser }): Promise<XmlElement> {
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  let count = 0

  const append = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  const xml = sax.parser(true, { xmlns: true, ...onlyXmlEntities })
  Object.assign(xml, {
    // Unless the handler throws, sax continues after an error.
    onerror() {
      throw new FileProblem(`The file is not valid XML: see line ${xml.line + 1}.`)
    },
    ondoctype() {
      throw new FileProblem('The file declares a document type, which is not allowed. Remove the DOCTYPE.')
    },
    onopentag(tag: QualifiedTag) {
      count += 1
      if (count > maxElements || open.length >= maxDepth) {
        throw new FileProblem('The file is larger or deeper than any list of keys. Check that it is the right file.')
      }
      if (root && open.length === 0) throw new FileProblem('The file is not valid XML: it contains several documents.')
      const element = toElement(tag, xml.line + 1)
      open.at(-1)?.children.push(element)
      root ??= element
      open.push(element)
    },
    onclosetag: () => void open.pop(),
    ontext: append,
    oncdata: append,
  })
  for (let start = 0; start < text.length; start += charactersPerTurn) {
    xml.write(text.slice(start, start + charactersPerTurn))
    await nextTurn()
  }
  xml.close()
  if (!root) throw new FileProblem('The file is not valid XML: it has no element.')
  return root
}

/** XML does not have the named entities of HTML. */
const onlyXmlEntities = { strictEntities: true }

function toElement(tag: QualifiedTag, line: number): OpenElement {
  const attributes = new Map(Object.values(tag.attributes).map(({ name, value }) => [name, value]))
  return { name: tag.local, namespace: tag.uri, attributes, children: [], text: '', line }
}

/** Finds the first element along a path of names. */
export function find(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce(
    (within: XmlElement | undefined, name) => within?.children.find((child) => child.name === name),
    element,
  )
}
