import type { parser, QualifiedTag } from 'sax'

import { FileProblem } from './file-problem.ts'

export interface XmlElement {
  /** The name without its prefix, in lower case: some programs write all names so. */
  readonly name: string
  readonly namespace: string
  /** Their names are in lower case as well. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
  /** The line of its start tag, from 1. */
  readonly line: number
}

/** What stands directly in the root element may have so many elements, nested so deeply. A key package has about 20. */
const maxElements = 1_000
const maxDepth = 32

/** The longest text of an element, characters. */
const maxText = 64 * 1024

interface OpenElement extends XmlElement {
  readonly children: OpenElement[]
  text: string
}

/** Some of a document: its root without content, once, and elements directly in it, which are complete. */
interface XmlPart {
  readonly root: XmlElement | undefined
  readonly children: readonly XmlElement[]
}

/**
 * Parses a document as its text arrives. Only one element of the root is in memory at a time, so a file of any length is read.
 * Rejects document types: they only serve to define entities, which could expand without limit or include files.
 */
export async function* parseXml(
  pieces: AsyncIterable<string>,
  sax: { readonly parser: typeof parser },
): AsyncGenerator<XmlPart> {
  const open: OpenElement[] = []
  let root: OpenElement | undefined
  let [isShown, children, count]: [boolean, OpenElement[], number] = [false, [], 0]

  const append = (part: string) => {
    const element = open.at(-1)
    if (!element) return
    element.text += part
    if (element.text.length > maxText) throw tooLarge()
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
      if (count > maxElements || open.length >= maxDepth) throw tooLarge()
      if (root && open.length === 0) throw new FileProblem('The file is not valid XML: it contains several documents.')
      const element = toElement(tag, xml.line + 1)
      // The root would keep all its elements in memory.
      if (open.length > 1) open.at(-1)?.children.push(element)
      root ??= element
      open.push(element)
    },
    onclosetag() {
      const element = open.pop()
      const [outer, ...otherAncestors] = open
      if (!element || !outer || otherAncestors.length > 0) return
      children.push(element)
      count = 0
      // The blanks between its elements.
      outer.text = ''
    },
    ontext: append,
    oncdata: append,
  })
  for await (const piece of pieces) {
    xml.write(piece)
    yield { root: isShown ? undefined : root, children }
    isShown ||= root !== undefined
    children = []
  }
  xml.close()
  if (!root) throw new FileProblem('The file is not valid XML: it has no element.')
}

const tooLarge = () =>
  new FileProblem('The file is larger or deeper than any list of keys. Check that it is the right file.')

/** XML does not have the named entities of HTML. */
const onlyXmlEntities = { strictEntities: true }

function toElement(tag: QualifiedTag, line: number): OpenElement {
  const attributes = new Map(Object.values(tag.attributes).map(({ name, value }) => [name.toLowerCase(), value]))
  return { name: tag.local.toLowerCase(), namespace: tag.uri, attributes, children: [], text: '', line }
}

/** Finds the first element along a path of names, in any case. */
export function find(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce(
    (within: XmlElement | undefined, name) => within?.children.find((child) => child.name === name.toLowerCase()),
    element,
  )
}
