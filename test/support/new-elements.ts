import type { Page } from 'playwright-core'

/**
 * Marks the outermost visible elements that differ from all inspected ones, which they then belong to. An element is its
 * name and attributes with those around it, but without texts, addresses and values: the same style rules color it.
 */
export async function markNewElements(page: Page, inspected: Set<number>): Promise<void> {
  for (const each of await page.evaluate(mark, [...inspected])) inspected.add(each)
}

/** Runs in the page. @returns a hash for each new element. */
function mark(inspected: readonly number[]): number[] {
  const known = new Set(inspected)
  const found = new Set<number>()
  const values = /^(href|src|action|value|content|title|alt|aria-label|d|viewBox|style)$/
  for (const marked of document.querySelectorAll('[data-new]')) marked.removeAttribute('data-new')
  // What is behind a question was inspected before it.
  visit(document.querySelector('dialog[open]') ?? document.body, 0, false)
  return [...found]

  function visit(element: Element, around: number, isInside: boolean): void {
    if (!element.checkVisibility()) return
    const attributes = [...element.attributes].map(({ name, value }) => (values.test(name) ? name : `${name}=${value}`))
    const own = hash([element.localName, ...attributes].join(' '), around)
    const isNew = !known.has(own)
    if (isNew) found.add(own)
    for (const child of element.children) visit(child, own, isInside || isNew)
    if (isNew && !isInside) element.setAttribute('data-new', '')
  }

  /** FNV-1a. */
  function hash(text: string, start: number): number {
    let result = start ^ 0x811c9dc5
    for (let at = 0; at < text.length; at++) result = Math.imul(result ^ text.charCodeAt(at), 0x01000193)
    return result >>> 0
  }
}
