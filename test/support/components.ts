/**
 * Each element with its attributes and those around it, but without texts, addresses and values. A page whose components
 * have all been inspected on other pages has nothing new for axe.
 */
export function componentsOf(html: string): ReadonlySet<string> {
  const components = new Set([html.match(/<h\d/g)?.join('') ?? ''])
  const path: string[] = []
  for (const [, end, name = '', attributes = ''] of html.matchAll(/<(\/?)([a-z]\w*)((?:[^>"]|"[^"]*")*)>/g)) {
    if (end) {
      path.splice(path.findLastIndex((each) => each.startsWith(`<${name} `)))
    } else {
      const element = `<${name} ${attributes.replaceAll(data, '').replaceAll(values, ' $1')}`
      components.add([...path, element].join(''))
      if (!voidElements.has(name) && !attributes.endsWith('/')) path.push(element)
    }
  }
  return components
}

const voidElements = new Set(['meta', 'link', 'input', 'img', 'br', 'hr'])
const data = / data-[a-z-]+(="[^"]*")?/g
const values = / (href|src|action|value|content|title|alt|aria-label|d|viewBox)="[^"]*"/g
