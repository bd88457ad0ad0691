import sax from 'sax'
import type { QualifiedTag } from 'sax'

import { Failure } from '../device/failure.ts'

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string
  readonly namespace: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
  /** Where its first tag stands, from 1. */
  readonly line: number
}

/** What 16 MiB of key packages need a fraction of; it bounds memory. */
const mostElements = 500_000
const deepest = 32

interface Growing extends XmlElement {
  readonly children: Growing[]
  text: string
}

/**
 * A whole document as a tree. There is no document type: whoever declares one wants entities, and nothing here needs any
 * (no expansion, no file or address is read on the way).
 */
export function parseXml(text: string): XmlElement {
  const open: Growing[] = []
  let root: Growing | undefined
  let count = 0

  const append = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  const xml = sax.parser(true, { xmlns: true, ...onlyXmlEntities })
  Object.assign(xml, {
    // An error that nobody throws is only remembered, and reading goes on.
    onerror() {
      throw new Failure(`The file is no XML: there is a mistake in line ${xml.line + 1}.`)
    },
    ondoctype() {
      throw new Failure('The file declares a document type, and is not read. Remove the DOCTYPE.')
    },
    onopentag(tag: QualifiedTag) {
      count += 1
      if (count > mostElements || open.length >= deepest) {
        throw new Failure('The file is larger or deeper than any list of keys. Check that it is the right one.')
      }
      if (root && open.length === 0) throw new Failure('The file is no XML: it is several documents.')
      const element = toElement(tag, xml.line + 1)
      open.at(-1)?.children.push(element)
      root ??= element
      open.push(element)
    },
    onclosetag: () => void open.pop(),
    ontext: append,
    oncdata: append,
  })
  xml.write(text).close()
  if (!root) throw new Failure('The file is no XML: it has no element.')
  return root
}

/** Not the names of HTML, which XML does not have. */
const onlyXmlEntities = { strictEntities: true }

function toElement(tag: QualifiedTag, line: number): Growing {
  const attributes = new Map(Object.values(tag.attributes).map(({ name, value }) => [name, value]))
  return { name: tag.local, namespace: tag.uri, attributes, children: [], text: '', line }
}

/** The first element at the end of a path of names. */
export function find(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce(
    (within: XmlElement | undefined, name) => within?.children.find((child) => child.name === name),
    element,
  )
}
